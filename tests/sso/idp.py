"""A SAML identity provider on the loopback interface: pysaml2 writes and reads SAML, and xmlsec1 signs.

    python3 idp.py SERVICE_METADATA_URL < people.json

`people.json` maps user names to `{"password", "mail", "displayName", "subject", "encrypted"}`, of which the last two may be
missing. The first line of the output is the address of the provider; its metadata are at `/metadata`. The key is made at the
start, and is gone with the process.
"""

import html
import json
import shutil
import sys
import tempfile
import urllib.request
from datetime import datetime, timedelta, timezone
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, entity
from saml2.authn_context import PASSWORDPROTECTEDTRANSPORT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAME_FORMAT_URI, NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

LOGIN_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Identity provider</title></head>
<body><main><h1>Identity provider</h1>{message}
<form method="post" action="/login">
<input type="hidden" name="SAMLRequest" value="{request}"><input type="hidden" name="RelayState" value="{state}">
<p><label>User <input name="user" autocomplete="username"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
<p><button>Sign in</button></p>
</form></main></body></html>
"""


def make_keys(folder: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Identity provider of the tests")])
    now = datetime.now(timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    certificate = builder.sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    (folder / "idp.crt").write_bytes(certificate.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "idp.key").write_bytes(private)


def configuration(base: str, folder: Path, service: str) -> IdPConfig:
    idp = {
        "name": "Identity provider of the tests",
        "endpoints": {"single_sign_on_service": [(f"{base}/sso", BINDING_HTTP_REDIRECT)]},
        "policy": {"default": {"lifetime": {"minutes": 5}, "name_form": NAME_FORMAT_URI}},
    }
    settings = {
        "entityid": f"{base}/metadata",
        "xmlsec_binary": shutil.which("xmlsec1"),
        "key_file": str(folder / "idp.key"),
        "cert_file": str(folder / "idp.crt"),
        "metadata": {"inline": [service]},
        "service": {"idp": idp},
    }
    return IdPConfig().load(settings)


def use_aes(provider: Server) -> None:
    """Encrypts with AES, where pysaml2 would take triple DES; the key is the one in the metadata of the service."""
    entity.pre_encryption_part = partial(
        entity.pre_encryption_part, msg_enc="http://www.w3.org/2009/xmlenc11#aes256-gcm"
    )
    provider.sec.encrypt_assertion = partial(provider.sec.encrypt_assertion, key_type="aes-256")


class Provider(BaseHTTPRequestHandler):
    """The pages of the provider; these members are set before it serves."""

    saml: Server
    people: dict[str, dict[str, Any]]

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/metadata":
            self.answer(str(entity_descriptor(self.saml.config)), kind="application/samlmetadata+xml")
        elif url.path == "/sso":
            self.ask(parse_qs(url.query))
        elif url.path == "/favicon.ico":
            self.answer("", kind="image/x-icon")
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        fields = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        person = self.people.get(first(fields, "user"))
        if self.path != "/login":
            self.send_error(404)
        elif person is None or person["password"] != first(fields, "password"):
            self.ask(fields, "<p role='alert'>The user or the password is wrong.</p>")
        else:
            self.let_in(fields, person)

    def ask(self, fields: dict[str, list[str]], message: str = "") -> None:
        request, state = (html.escape(first(fields, name)) for name in ("SAMLRequest", "RelayState"))
        self.answer(LOGIN_PAGE.format(message=message, request=request, state=state))

    def let_in(self, fields: dict[str, list[str]], person: dict[str, Any]) -> None:
        request = self.saml.parse_authn_request(first(fields, "SAMLRequest"), BINDING_HTTP_REDIRECT)
        to = self.saml.response_args(request.message)
        response = self.saml.create_authn_response(
            identity={name: person[name] for name in ("mail", "displayName")},
            userid=first(fields, "user"),
            # Without a name of their own, people have another one at each sign-in.
            name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=person["subject"]) if "subject" in person else None,
            authn={"class_ref": PASSWORDPROTECTEDTRANSPORT},
            sign_response=True,
            sign_assertion=True,
            sign_alg=SIG_RSA_SHA256,
            digest_alg=DIGEST_SHA256,
            encrypt_assertion=person.get("encrypted", False),
            **to,
        )
        state = first(fields, "RelayState")
        form = self.saml.apply_binding(BINDING_HTTP_POST, str(response), to["destination"], state, response=True)
        self.answer(form["data"])

    def answer(self, text: str, kind: str = "text/html; charset=utf-8") -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: the browser test says what has failed."""


def first(fields: dict[str, list[str]], name: str) -> str:
    return fields.get(name, [""])[0]


def main() -> None:
    with urllib.request.urlopen(sys.argv[1], timeout=10) as answer:
        service = answer.read().decode()
    Provider.people = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder, ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        make_keys(Path(folder))
        # Another site than the service at 127.0.0.1, so that the browser treats what comes from here as cross-site.
        base = f"http://localhost:{server.server_address[1]}"
        Provider.saml = Server(config=configuration(base, Path(folder), service))
        use_aes(Provider.saml)
        print(base, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
