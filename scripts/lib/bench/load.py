"""Load by wrk, and what it costs the server."""

import json
import os
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

CONNECTIONS = 32
WARM_UP_SECONDS = 1
SCRIPT = Path(__file__).with_name("requests.lua")


@dataclass(frozen=True)
class Scenario:
    name: str
    paths: list
    bodies: list = field(default_factory=list)
    status: int = 200


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


def run(server, scenario, token, seconds):
    check(server, scenario, token)
    wrk(server, scenario, token, WARM_UP_SECONDS)
    server.forget_peak()
    cpu = server.cpu_ms()
    report = wrk(server, scenario, token, seconds)
    cpu = server.cpu_ms() - cpu
    expected = 0 if scenario.status < 400 else report["requests"]
    if report["refused"] != expected or report["broken"] or not report["requests"]:
        raise SystemExit(f"{server.name}, {scenario.name}: unexpected answers: {report}")
    return Figures(
        per_second=report["requests"] / report["microseconds"] * 1e6,
        p50_ms=report["p50"] / 1000,
        p99_ms=report["p99"] / 1000,
        cpu_ms_per_1000=cpu / report["requests"] * 1000,
        peak_mb=server.memory_mb("VmHWM"),
    )


def check(server, scenario, token):
    """The load generator tells only that an answer was an error, so one is looked at before."""
    if scenario.bodies:
        return
    status, _ = server.get(scenario.paths[0], token)
    if status != scenario.status:
        raise SystemExit(f"{server.name}, {scenario.name}: {status} instead of {scenario.status}")


def wrk(server, scenario, token, seconds):
    environment = {
        "BENCH_TOKEN": token,
        "BENCH_PATHS": " ".join(scenario.paths),
        "BENCH_BODIES": "\n".join(scenario.bodies),
    }
    command = ["wrk", "--threads=1", f"--connections={CONNECTIONS}", f"--duration={seconds}s", "--timeout=10s"]
    done = subprocess.run(
        [*command, f"--script={SCRIPT}", f"http://{server.address}"],
        env=os.environ | environment, check=True, capture_output=True, text=True, timeout=seconds + 30,
    )
    return json.loads(done.stdout.splitlines()[-1])
