"""The server that is tested, and calls to it."""

import http.client
import json
import os
import signal
import socket
import subprocess
import time

TOKEN = "bnd_faults_" + "a" * 43


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    def __init__(self, program, place, **settings):
        self.port = free_port()
        self.log = open(place / "server.log", "ab")
        environment = {
            "BINDERY_LISTEN": f"127.0.0.1:{self.port}", "BINDERY_DATA_DIR": str(place / "data"),
            "BINDERY_ADMIN_TOKEN": TOKEN, "BINDERY_RATE_LIMIT": "off",
        }
        self.process = subprocess.Popen(
            [program, "serve"], env=os.environ | environment | settings, stdout=self.log, stderr=self.log
        )
        until(lambda: self.ready() == 200)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.log.close()

    def call(self, method, path, body=None, timeout=30):
        """The status, the answer and the seconds that it took; the status is 0 without an answer."""
        started = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
            connection.request(method, path, body if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
            parsed = json.loads(text) if answer.getheader("content-type", "").startswith("application/json") else text
            return answer.status, parsed, time.monotonic() - started
        except (OSError, http.client.HTTPException):
            return 0, None, time.monotonic() - started
        finally:
            connection.close()

    def ready(self):
        if self.process.poll() is not None:
            raise SystemExit(f"the server ended with {self.process.returncode}")
        return self.call("GET", "/readyz")[0]

    def organization(self):
        return self.call("GET", "/v1/orgs")[1]["items"][0]["id"]

    def team(self, organization, title):
        return self.call("PUT", f"/v1/orgs/{organization}/teams", {"title": title})


def until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise SystemExit("it did not come about in time")
        time.sleep(0.02)


def expect(holds, what):
    if not holds:
        raise SystemExit(f"WRONG: {what}")
