"""The two servers as processes: the one that is tested, and ClickHouse."""

import contextlib
import http.client
import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import time
from urllib.parse import urlencode

CLICKHOUSE = pathlib.Path(__file__).with_name("clickhouse.py")
# The longest wait for what happens in the background.
PATIENCE = 180


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def eventually(what, read, is_done):
    deadline = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(OSError, http.client.HTTPException):
            value = read()
            if is_done(value):
                return value
        if time.monotonic() > deadline:
            raise SystemExit(f"FAILED  {what}")
        time.sleep(0.2)


class Process:
    """Something that listens, can be killed and started again with its data."""

    def __init__(self, arguments, log, **environment):
        self.arguments, self.log, self.environment = arguments, log, environment
        self.process = None

    def start(self, is_ready):
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                self.arguments, env=os.environ | self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        eventually(f"{self.arguments[0]} does not start; see {self.log}", is_ready, bool)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class ClickHouse(Process):
    DATABASE = "bindery"

    def __init__(self, directory):
        self.port = free_port()
        super().__init__([sys.executable, str(CLICKHOUSE), str(self.port), str(directory / "data")], directory / "clickhouse.log")
        self.url = f"http://insights:secret@127.0.0.1:{self.port}/{self.DATABASE}"

    def start(self):
        super().start(lambda: self.request("GET", "/ping") == "Ok.\n")
        self.ask(f"CREATE DATABASE IF NOT EXISTS {self.DATABASE}")

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"X-ClickHouse-User": "insights", "X-ClickHouse-Key": "secret"}
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            return connection.getresponse().read().decode()

    def ask(self, statement):
        return self.request("POST", "/", statement).strip()

    def fail_next(self, fault):
        self.request("POST", f"/faults?{urlencode({'next': fault})}")


class Bindery(Process):
    def __init__(self, program, directory, **settings):
        self.port, self.token = free_port(), f"bnd_test_{secrets.token_hex(24)}"
        directory.mkdir()
        settings |= {
            "BINDERY_LISTEN": f"127.0.0.1:{self.port}", "BINDERY_DATA_DIR": str(directory / "data"),
            "BINDERY_ADMIN_TOKEN": self.token, "BINDERY_RATE_LIMIT": "off",
        }
        super().__init__([str(program), "serve"], directory / "log", **settings)

    def start(self):
        super().start(lambda: self.attempt("GET", "/readyz")[0] == 200)

    def create_site(self):
        """The path of a new site."""
        sites = f"/v1/orgs/{self.get('/v1/orgs')['items'][0]['id']}/sites"
        return f"{sites}/{self.send('POST', sites, {'title': 'Manual'})['id']}"

    def get(self, path):
        return self.send("GET", path)

    def send(self, method, path, body=None):
        status, answer = self.attempt(method, path, body)
        if status // 100 != 2:
            raise SystemExit(f"FAILED  {method} {path}: {status} {answer}")
        return answer

    def attempt(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        with contextlib.closing(connection):
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = connection.getresponse()
            content = response.read().decode()
        return response.status, json.loads(content) if content.startswith("{") else content
