"""The object store answers errors, hangs up, is slow, or says nothing, and recovers."""

import base64
import http.server
import threading
import time

from server import Server, expect


class Store(http.server.ThreadingHTTPServer):
    """Keeps objects in memory, and fails as it is told."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Objects)
        self.objects, self.fault, self.requests = {}, None, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Objects(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def faulty(self):
        self.server.requests += 1
        length = int(self.headers.get("content-length") or 0)
        self.body = self.rfile.read(length)
        match self.server.fault:
            case "errors":
                self.answer(500, b"<Error><Code>InternalError</Code></Error>")
            case "denied":
                self.answer(403, b"<Error><Code>AccessDenied</Code></Error>")
            case "hangs up":
                self.connection.close()
            case "is silent":
                time.sleep(120)
            case _:
                return False
        return True

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def key(self):
        return self.path.split("?")[0]

    def do_PUT(self):
        if not self.faulty():
            self.server.objects[self.key()] = self.body
            self.answer(200, ETag='"1"')

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        if self.faulty():
            return
        found = self.server.objects.get(self.key())
        if found is None:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        else:
            self.answer(200, found, ETag='"1"', Last_Modified="Sun, 22 Nov 2026 10:00:00 GMT")

    def do_DELETE(self):
        if not self.faulty():
            self.server.objects.pop(self.key(), None)
            self.answer(204)


def failing(program, place):
    store = Store()
    settings = {
        "BINDERY_BLOB_STORE": "s3://bucket/files", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "eu-1", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{store.server_port}", "AWS_ALLOW_HTTP": "true",
    }
    with Server(program, place, **settings) as server:
        organization = server.organization()
        space = server.call("POST", f"/v1/orgs/{organization}/spaces", {"title": "Files"})[1]["id"]

        def upload(text):
            file = {"name": "a.txt", "contentType": "text/plain", "base64": base64.b64encode(text).decode()}
            change = {"operation": "insert_files", "files": [file]}
            return server.call("POST", f"/v1/spaces/{space}/content", {"changes": [change]}, 90)

        status, answer, _ = upload(b"one")
        expect(status < 300, f"an upload answers {status} {answer}")
        for fault in ["errors", "denied", "hangs up", "is silent"]:
            store.fault = fault
            status, answer, seconds = upload(fault.encode())
            expect(status == 503 and seconds < 25, f"with a store that {fault}: {status} after {seconds:.1f} s {answer}")
            yield f"{fault}: an upload answers {status} {answer['error']['type']} after {seconds:.1f} s"
            status, _, seconds = server.call("GET", f"/v1/spaces/{space}")
            expect(status == 200 and seconds < 1, f"a read beside it answers {status} after {seconds:.1f} s")
        store.fault = None
        status, _, seconds = upload(b"two")
        expect(status < 300, f"after the recovery an upload answers {status}")
        files = server.call("GET", f"/v1/spaces/{space}/content/files")[1]["items"]
        expect(len(files) == 2, f"{len(files)} files instead of the 2 that were answered")
        yield "recovered: uploads succeed without a restart, and the refused ones left no file"
