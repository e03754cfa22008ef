"""Load by wrk, and what it costs the server."""

import dataclasses
import json
import os
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

CONNECTIONS = 32
WARM_UP_SECONDS = 1
# How many of the answers may have the status that a scenario tolerates.
TOLERATED_PART = 0.05
SCRIPT = Path(__file__).with_name("requests.lua")


@dataclass
class Scenario:
    """Requests that are sent in turn, each as a line: method, path and perhaps a body. Each GET has a tag of its own."""

    name: str
    token: str
    requests: list
    status: int = 200
    # Another status that some answers may have.
    tolerated: int | None = None
    # The tag of what the client has kept, in place of a tag for each request.
    if_none_match: str | None = None
    # The content coding that the client can read.
    coding: str | None = None
    connections: int = CONNECTIONS
    # How many were sent: the next run goes on there, so that it does not find what it does done already.
    sent: int = 0

    @staticmethod
    def reading(name, token, paths, **expected):
        return Scenario(name, token, [f"GET {path}" for path in paths], **expected)

    def compressed(self, coding):
        return dataclasses.replace(self, name=f"{self.name}, {coding}", coding=coding)

    @property
    def method(self):
        return self.requests[0].split(" ")[0]

    @property
    def path(self):
        return self.requests[0].split(" ")[1]


@dataclass(frozen=True)
class Figures:
    """One run, or the medians of several; the peak is the highest."""

    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_ms_per_1000: float
    peak_mb: float

    @staticmethod
    def of(runs):
        middle = lambda name: statistics.median(getattr(run, name) for run in runs)
        return Figures(
            *map(middle, ["per_second", "p50_ms", "p99_ms", "cpu_ms_per_1000"]), max(run.peak_mb for run in runs)
        )


def run(server, scenario, seconds):
    check(server, scenario)
    wrk(server, scenario, WARM_UP_SECONDS)
    server.forget_peak()
    cpu = server.cpu_ms()
    report = wrk(server, scenario, seconds)
    cpu = server.cpu_ms() - cpu
    expected = 0 if scenario.status < 400 else report["requests"]
    few = report["tolerated"] <= report["requests"] * TOLERATED_PART
    if report["refused"] - report["tolerated"] != expected or report["broken"] or not report["requests"] or not few:
        raise SystemExit(f"{server.name}, {scenario.name}: unexpected answers: {report}")
    return Figures(
        per_second=report["requests"] / report["microseconds"] * 1e6,
        p50_ms=report["p50"] / 1000,
        p99_ms=report["p99"] / 1000,
        cpu_ms_per_1000=cpu / report["requests"] * 1000,
        peak_mb=server.memory_mb("VmHWM"),
    )


def check(server, scenario):
    """The load generator tells only that an answer was an error, so one is looked at before."""
    if scenario.method != "GET":
        return
    status, _ = server.get(scenario.path, scenario.token, scenario.if_none_match)
    if status != scenario.status:
        raise SystemExit(f"{server.name}, {scenario.name}: {status} instead of {scenario.status}")


def wrk(server, scenario, seconds):
    environment = {
        "BENCH_TOKEN": scenario.token,
        "BENCH_IF_NONE_MATCH": scenario.if_none_match or "",
        "BENCH_ACCEPT_ENCODING": scenario.coding or "",
        "BENCH_SENT": str(scenario.sent),
        "BENCH_TOLERATED": str(scenario.tolerated or ""),
    }
    command = ["wrk", "--threads=1", f"--connections={scenario.connections}", f"--duration={seconds}s", "--timeout=10s"]
    done = subprocess.run(
        [*command, f"--script={SCRIPT}", f"http://{server.address}"], input="\n".join(scenario.requests),
        env=os.environ | environment, check=True, capture_output=True, text=True, timeout=seconds + 30,
    )
    report = json.loads(done.stdout.splitlines()[-1])
    # Every connection has one more under way at the end.
    scenario.sent += report["requests"] + scenario.connections
    return report
