"""The HTTP interface of ClickHouse, with the engine of chDB behind it: `python3 tests/insights/clickhouse.py PORT DIRECTORY`.

The data stays in DIRECTORY. Statements come as the server of ClickHouse takes them: in the parameter `query`, in the body or both,
in the address or as a form, with `param_…` for values. The user is `insights` with the password `secret`. After
`POST /faults?next=…`, one insert fails: `lost` runs it and closes the connection without an answer, `refused` does not run it.
"""

import base64
import email.parser
import email.policy
import http.server
import re
import sys
import threading
from urllib.parse import parse_qsl, urlsplit

from chdb.session import Session

USER, PASSWORD = "insights", "secret"
# Statuses of ClickHouse for some codes; 500 is that of the others.
STATUSES = {46: 404, 47: 404, 60: 404, 81: 404, 62: 400, 36: 400, 457: 400, 516: 403}


class Engine:
    """One statement at a time, which uses all cores by itself."""

    def __init__(self, directory):
        self.session, self.lock, self.fault = Session(directory), threading.Lock(), None

    def run(self, statement, database, parameters):
        """The status, the code of an error, and the answer."""
        with self.lock:
            try:
                if database:
                    self.session.query(f"USE `{database}`")
                return 200, None, self.session.query(statement, "TabSeparated", params=parameters or None).bytes() or b""
            except RuntimeError as error:
                code = int((re.search(r"Code: (\d+)", str(error)) or [0, "1001"])[1])
                return STATUSES.get(code, 500), code, f"{error}\n".encode()

    def take_fault(self):
        with self.lock:
            fault, self.fault = self.fault, None
        return fault


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self):
        if urlsplit(self.path).path == "/ping":
            return self.answer(200, b"Ok.\n")
        self.statement(b"", allowed=("SELECT", "SHOW"))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if urlsplit(self.path).path == "/faults":
            self.server.engine.fault = dict(parse_qsl(urlsplit(self.path).query))["next"]
            return self.answer(200, b"")
        self.statement(body)

    def statement(self, body, allowed=None):
        if not self.is_authorized():
            return self.answer(403, b"Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)\n", 516)
        fields = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        if self.headers.get_content_type() == "multipart/form-data":
            fields |= form(self.headers["Content-Type"], body)
            body = b""
        text = "\n".join(part for part in (fields.get("query", ""), body.decode()) if part)
        if allowed and not text.lstrip().upper().startswith(allowed):
            return self.answer(500, b"Code: 164. DB::Exception: Cannot execute query in readonly mode. (READONLY)\n", 164)
        fault = self.server.engine.take_fault() if text.startswith("INSERT") else None
        if fault == "refused":
            return self.answer(503, b"Code: 202. DB::Exception: Too many simultaneous queries. (TOO_MANY_SIMULTANEOUS_QUERIES)\n", 202)
        parameters = {name[6:]: value for name, value in fields.items() if name.startswith("param_")}
        status, code, content = self.server.engine.run(text, fields.get("database"), parameters)
        if fault == "lost":
            self.close_connection = True
            return
        self.answer(status, content, code)

    def is_authorized(self):
        given = self.headers.get("X-ClickHouse-User"), self.headers.get("X-ClickHouse-Key")
        if given == (None, None):
            kind, _, encoded = self.headers.get("Authorization", "").partition(" ")
            given = tuple(base64.b64decode(encoded).decode().split(":", 1)) if kind == "Basic" else given
        return given == (USER, PASSWORD)

    def answer(self, status, content, code=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        if code:
            self.send_header("X-ClickHouse-Exception-Code", str(code))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def form(content_type, body):
    parsed = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
        b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body
    )
    name = lambda part: part.get_param("name", header="Content-Disposition")
    return {name(part): part.get_payload(decode=True).decode() for part in parsed.iter_parts()}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, engine):
        self.engine = engine
        super().__init__(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    Server(int(sys.argv[1]), Engine(sys.argv[2])).serve_forever()
