"""A client of the server, and a server of sources."""

import contextlib
import http.client
import http.server
import json
import threading
import time
import traceback
import urllib.parse

# Seconds until a job has done its work, on a slow machine.
PATIENCE = 120


class Bindery:
    def __init__(self, url, token):
        self.address, self.token = urllib.parse.urlsplit(url).netloc, token
        self.connections = threading.local()
        self.organization = self.get("/orgs")["items"][0]["id"]

    def call(self, method, path, body=None):
        """The status and the body of an answer."""
        if not hasattr(self.connections, "own"):
            self.connections.own = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        connection = self.connections.own
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, f"/v1{path}", None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def get(self, path):
        return self.successful("GET", path)

    def successful(self, method, path, body=None):
        status, answer = self.call(method, path, body)
        if not 200 <= status < 300:
            raise AssertionError(f"{method} {path} answered {status}: {answer[:500]}")
        return json.loads(answer)

    @staticmethod
    def query(**parameters):
        return urllib.parse.urlencode(parameters)

    def specification(self, slug):
        return f"/orgs/{self.organization}/openapi/{slug}"

    def process(self, slug, source):
        """Sets the source of a specification, and waits until it has been processed."""
        path = self.specification(slug)
        self.successful("PUT", path, {"source": source})
        return until(lambda: self.get(path), lambda found: found["processingState"] == "complete")

    def content(self, slug):
        return self.get(f"{self.specification(slug)}/versions/latest/content")["filesystem"][0]["specification"]


class Checks:
    """Counts what was checked, and says what failed."""

    def __init__(self):
        self.passed, self.failed, self.subject = 0, 0, ""

    def of(self, subject):
        self.subject = subject
        return self

    def __enter__(self):
        return self

    def __exit__(self, _, error, __):
        if isinstance(error, Exception):
            self.fail("".join(traceback.format_exception(error)))
        return isinstance(error, Exception)

    def equal(self, what, found, expected):
        if found == expected:
            self.passed += 1
        elif isinstance(found, dict) and isinstance(expected, dict):
            keys = [key for key in {**expected, **found} if found.get(key) != expected.get(key)]
            self.fail(f"{what}: {[(key, found.get(key), expected.get(key)) for key in keys][:10]}")
        else:
            self.fail(f"{what}: {found} instead of {expected}")

    def fail(self, message):
        self.failed += 1
        print(f"FAILED {self.subject}: {message[:2000]}")


def until(read, is_done):
    deadline = time.monotonic() + PATIENCE
    while not is_done(found := read()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not done after {PATIENCE} seconds: {str(found)[:500]}")
        time.sleep(0.1)
    return found


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.sources.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def source_server():
    """A function that publishes bytes and returns their address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.sources = {}
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def publish(name, data):
            path = f"/{urllib.parse.quote(name)}"
            server.sources[path] = data
            return f"http://127.0.0.1:{server.server_port}{path}"

        yield publish
        server.shutdown()
