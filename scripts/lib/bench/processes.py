"""The measured servers as processes: started, asked, looked at, stopped; and programs that end by themselves."""

import http.client
import os
import socket
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
START_LIMIT = 20
STOP_LIMIT = 20
COMMAND_LIMIT = 20


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def output(arguments, **environment):
    """What a program prints that ends by itself."""
    done = subprocess.run(
        arguments, env=os.environ | environment, check=True, capture_output=True, text=True, timeout=COMMAND_LIMIT
    )
    return done.stdout


@dataclass(frozen=True)
class Ended:
    """A program that has ended by itself: what it printed, how long it took, and the most memory that it had."""

    printed: str
    seconds: float
    peak_mb: float


def measured(arguments, log, limit, **environment):
    with Path(log).open("ab") as errors:
        started = time.monotonic()
        process = subprocess.Popen(
            arguments, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
            text=True,
        )
    killer = threading.Timer(limit, process.kill)
    killer.start()
    with process.stdout as output:
        printed = output.read()
    # Only this tells the memory of this one.
    _, status, usage = os.wait4(process.pid, 0)
    killer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(map(str, arguments))} ends with {process.returncode}; see {log}")
    return Ended(printed, time.monotonic() - started, usage.ru_maxrss / 1024)


class Server:
    """A process that listens on 127.0.0.1, stopped at the end of a `with` block."""

    def __init__(self, name, arguments, log, **environment):
        self.name = name
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        arguments = [text.format(address=self.address) for text in arguments]
        environment = {key: value.format(address=self.address) for key, value in environment.items()}
        with Path(log).open("ab") as output:
            self.started = time.monotonic()
            self.process = subprocess.Popen(
                arguments, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        self.ready_after = None

    def __enter__(self):
        try:
            self.ready_after = self.wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def wait_until_ready(self):
        while True:
            try:
                status, _ = self.get("/readyz")
                if status == 200:
                    return time.monotonic() - self.started
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() - self.started > START_LIMIT:
                raise SystemExit(f"{self.name} does not start; see its log")
            time.sleep(0.001)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def get(self, path, token=None, if_none_match=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if if_none_match:
            headers["If-None-Match"] = if_none_match
        try:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def cpu_ms(self):
        """CPU time of all threads since the start, in the program and in the system for it."""
        fields = self._proc("stat").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK_MS

    def memory_mb(self, field):
        """`VmRSS` is what it holds now, `VmHWM` the most since the start or since `forget_peak`."""
        for line in self._proc("status").splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
        raise SystemExit(f"the system does not tell {field}")

    def forget_peak(self):
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def written_bytes(self):
        """What it has given the system to write to disks since the start."""
        for line in self._proc("io").splitlines():
            if line.startswith("write_bytes:"):
                return int(line.split()[1])
        raise SystemExit("the system does not tell what was written")

    def _proc(self, name):
        return Path(f"/proc/{self.process.pid}/{name}").read_text()
