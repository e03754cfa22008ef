"""A section on signing in by a SAML provider, which this file plays: the processor time of the server for one sign-in."""

import base64
import datetime
import http.client
import secrets
import subprocess
import urllib.parse

from bench import ROUNDS, SECONDS, in_turns, say
from client import Client
from load import Scenario
from processes import output
from tables import print_figures, print_table

PEOPLE, SIGN_INS = 50, 200
DOMAIN = "people.example"
ISSUER = "https://idp.people.example/metadata"
ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion"
PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol"
SIGNATURE = "http://www.w3.org/2000/09/xmldsig#"
ENCRYPTION = "http://www.w3.org/2001/04/xmlenc#"


class SignIns:
    def __init__(self, bench):
        self.bench, self.data = bench, bench.place("sign-ins")

    def sign_ins(self):
        self.bench.first_run(self.data)
        provider = Provider(self.bench.directory)
        with self.bench.server(self.data) as server:
            with Client(server, self.bench.admin) as client:
                plain, encrypting = self.set_up(client, provider, False), self.set_up(client, provider, True)
            rows = [
                ("for the first time", self.cpu(server, provider, plain, range(PEOPLE))),
                ("again", self.cpu(server, provider, plain, [number % PEOPLE for number in range(SIGN_INS)])),
                ("again, encrypted", self.cpu(server, provider, encrypting, [number % PEOPLE for number in range(SIGN_INS)])),
            ]
            print_table("one sign-in, CPU of the server", {"ms": ".1f"}, [(name, [ms]) for name, ms in rows])
            browser = Browser(server)
            browser.sign_in(provider, plain, "person-0")
            token = browser.token()
            reads = [
                Scenario.reading("a token of the operator", self.bench.admin, ["/v1/user"]),
                Scenario.reading("the token of a session", token, ["/v1/user"]),
            ]
            figures = dict(zip([one.name for one in reads], in_turns([(server, one) for one in reads])))
        print(f"\nread the own profile; medians of {ROUNDS} runs of {SECONDS} s each")
        print_figures("bindery", figures)

    def set_up(self, client, provider, encryption):
        bench, path = self.bench, f"/v1/orgs/{self.bench.organization(self.data)}"
        client.send("PATCH", path, {"emailDomains": [DOMAIN]})
        organization = path.rpartition("/")[2]
        output([bench.program, "org", "verify-domain", organization, DOMAIN], **bench.settings(self.data))
        body = {
            "label": "Bench", "entityID": ISSUER, "ssoURL": "https://idp.people.example/sso",
            "certificate": provider.certificate, "defaultRole": "read", "encryption": encryption,
        }
        return client.post(f"{path}/saml", body).body["service"]

    def cpu(self, server, provider, service, people):
        """Milliseconds for each sign-in."""
        say(f"{len(people)} sign-ins")
        before = server.cpu_ms()
        for number in people:
            Browser(server).sign_in(provider, service, f"person-{number}")
        return (server.cpu_ms() - before) / len(people)


class Browser:
    def __init__(self, server):
        self.server, self.cookies = server, {}

    def send(self, method, path, form=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Sec-Fetch-Site": "same-origin",
        }
        body = None
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urllib.parse.urlencode(form)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        connection.close()
        return answer.status, answer.headers.get("Location"), text

    def sign_in(self, provider, service, person):
        status, location, _ = self.send("GET", path_of(service["startURL"]))
        request = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["RelayState"][0]
        form = {"SAMLResponse": provider.answer(service, request, person), "RelayState": request}
        _, finish, text = self.send("POST", path_of(service["acsURL"]), form)
        if not finish:
            raise SystemExit(f"a response is refused: {text}")
        status, location, text = self.send("GET", path_of(finish))
        if status != 303:
            raise SystemExit(f"nobody is signed in: {text}")

    def token(self):
        _, _, text = self.send("POST", "/account/docs-token", {})
        return text.split('"token":"')[1].split('"')[0]


class Provider:
    """An identity provider. XML is written in its canonical form, so that its bytes are what is signed."""

    def __init__(self, directory):
        self.key = directory / "idp.key"
        certificate = directory / "idp.crt"
        openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=bench", "-days", "2",
            "-keyout", self.key, "-out", certificate,
        )
        self.certificate = certificate.read_text()
        self.service_key = directory / "service.pem"

    def answer(self, service, request, person):
        now = datetime.datetime.now(datetime.timezone.utc)
        time, end = (at.strftime("%Y-%m-%dT%H:%M:%SZ") for at in (now, now + datetime.timedelta(minutes=5)))
        id = f"_{secrets.token_hex(16)}"
        value = lambda name, text: (
            f'<saml:Attribute Name="{name}"><saml:AttributeValue>{text}</saml:AttributeValue></saml:Attribute>'
        )
        before = (
            f'<saml:Assertion xmlns:saml="{ASSERTION}" ID="{id}" IssueInstant="{time}" Version="2.0">'
            f"<saml:Issuer>{ISSUER}</saml:Issuer>"
        )
        after = (
            f'<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">{person}</saml:NameID>'
            '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData '
            f'InResponseTo="{request}" NotOnOrAfter="{end}" Recipient="{service["acsURL"]}"></saml:SubjectConfirmationData>'
            f'</saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="{time}" NotOnOrAfter="{end}">'
            f'<saml:AudienceRestriction><saml:Audience>{service["entityID"]}</saml:Audience></saml:AudienceRestriction>'
            f'</saml:Conditions><saml:AuthnStatement AuthnInstant="{time}" SessionIndex="_1"><saml:AuthnContext>'
            "<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>"
            f"</saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>{value('email', f'{person}@{DOMAIN}')}"
            f"{value('displayName', person)}</saml:AttributeStatement></saml:Assertion>"
        )
        assertion = self.signed(id, before, after)
        certificate = service.get("encryptionCertificate")
        return self.response(service, request, time, self.encrypted(assertion, certificate) if certificate else assertion)

    def response(self, service, request, time, assertion):
        """Signed as well, as identity providers with encryption do it."""
        id = f"_{secrets.token_hex(16)}"
        before = (
            f'<samlp:Response xmlns:samlp="{PROTOCOL}" Destination="{service["acsURL"]}" ID="{id}" InResponseTo="{request}" '
            f'IssueInstant="{time}" Version="2.0"><saml:Issuer xmlns:saml="{ASSERTION}">{ISSUER}</saml:Issuer>'
        )
        after = (
            '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode>'
            f"</samlp:Status>{assertion}</samlp:Response>"
        )
        return base64.b64encode(self.signed(id, before, after).encode()).decode()

    def signed(self, id, before, after):
        digest = openssl("dgst", "-sha256", "-binary", input=(before + after).encode())
        canonical = "http://www.w3.org/2001/10/xml-exc-c14n#"
        info = (
            f'<ds:SignedInfo xmlns:ds="{SIGNATURE}"><ds:CanonicalizationMethod Algorithm="{canonical}">'
            "</ds:CanonicalizationMethod>"
            '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></ds:SignatureMethod>'
            f'<ds:Reference URI="#{id}"><ds:Transforms>'
            f'<ds:Transform Algorithm="{SIGNATURE}enveloped-signature"></ds:Transform>'
            f'<ds:Transform Algorithm="{canonical}"></ds:Transform></ds:Transforms>'
            f'<ds:DigestMethod Algorithm="{ENCRYPTION}sha256"></ds:DigestMethod>'
            f"<ds:DigestValue>{text(digest)}</ds:DigestValue></ds:Reference></ds:SignedInfo>"
        )
        value = openssl("dgst", "-sha256", "-sign", self.key, input=info.encode())
        # Within the signature, the prefix is declared already.
        declared = f' xmlns:ds="{SIGNATURE}"'
        info = info.replace(declared, "", 1)
        return f"{before}<ds:Signature{declared}>{info}<ds:SignatureValue>{text(value)}</ds:SignatureValue></ds:Signature>{after}"

    def encrypted(self, assertion, certificate):
        """By AES-CBC, because the command line has no AES-GCM."""
        if not self.service_key.exists():
            self.service_key.write_bytes(openssl("x509", "-pubkey", "-noout", input=certificate.encode()))
        key, first = secrets.token_bytes(32), secrets.token_bytes(16)
        sealed = openssl("enc", "-aes-256-cbc", "-K", key.hex(), "-iv", first.hex(), input=assertion.encode())
        sealed_key = openssl(
            "pkeyutl", "-encrypt", "-pubin", "-inkey", self.service_key, "-pkeyopt", "rsa_padding_mode:oaep", input=key
        )
        data = lambda value: f"<xenc:CipherData><xenc:CipherValue>{text(value)}</xenc:CipherValue></xenc:CipherData>"
        method = lambda name: f'<xenc:EncryptionMethod Algorithm="{ENCRYPTION}{name}"></xenc:EncryptionMethod>'
        return (
            f'<saml:EncryptedAssertion xmlns:saml="{ASSERTION}"><xenc:EncryptedData xmlns:xenc="{ENCRYPTION}" '
            f'Type="{ENCRYPTION}Element">{method("aes256-cbc")}<ds:KeyInfo xmlns:ds="{SIGNATURE}"><xenc:EncryptedKey>'
            f'{method("rsa-oaep-mgf1p")}{data(sealed_key)}</xenc:EncryptedKey></ds:KeyInfo>{data(first + sealed)}'
            "</xenc:EncryptedData></saml:EncryptedAssertion>"
        )


def openssl(*arguments, input=None):
    return subprocess.run(["openssl", *map(str, arguments)], input=input, check=True, capture_output=True).stdout


def text(value):
    return base64.b64encode(value).decode()


def path_of(address):
    parts = urllib.parse.urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
