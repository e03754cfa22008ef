"""One request after the other over one connection, each with its time."""

import http.client
import json
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    body: dict
    etag: str | None
    seconds: float


class Client:
    def __init__(self, server, token):
        self.server, self.token = server, token
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def get(self, path):
        return self.send("GET", path)

    def post(self, path, body=None):
        return self.send("POST", path, body)

    def send(self, method, path, body=None):
        status, answer = self.attempt(method, path, body)
        if status not in (200, 201):
            raise SystemExit(f"{self.server.name} answers {status} to {method} {path}: {answer.body}")
        return answer

    def attempt(self, method, path, body=None):
        """The answer, whatever its status."""
        headers = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            body = json.dumps(body)
            headers["Content-Type"] = "application/json"
        started = time.monotonic()
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        content = response.read()
        seconds = time.monotonic() - started
        return response.status, Answer(json.loads(content or "{}"), response.headers.get("ETag"), seconds)
