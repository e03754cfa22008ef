"""scripts/bench after its builds: `python3 scripts/lib/bench SERVER PEER DIRECTORY`."""

import json
import os
import secrets
import statistics
import sys
import time
from pathlib import Path

import data
from load import CONNECTIONS, Figures, Scenario, run
from processes import Server

SECONDS = int(os.environ.get("BENCH_SECONDS", "10"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
STARTS = 10
PAGE = 50
# As deep as a list of 1,000 members goes while a whole page is left.
DEEP = 19
# Until a server that was just started is taken for idle.
SETTLED_SECONDS = 5


class Bench:
    def __init__(self, program, peer, directory):
        self.program, self.peer, self.directory = program, peer, Path(directory)
        self.database = self.directory / "data" / "bindery.db"
        self.token = f"bnd_bench_{secrets.token_hex(24)}"

    def server(self):
        return Server(
            "bindery", [self.program, "serve"], self.directory / "bindery.log",
            BINDERY_LISTEN="{address}", BINDERY_DATA_DIR=str(self.database.parent),
            BINDERY_ADMIN_TOKEN=self.token, BINDERY_RATE_LIMIT="off", RUST_LOG="warn",
        )

    def by_hand(self):
        return Server("peer", [self.peer, str(self.database), "{address}"], self.directory / "peer.log")

    def prepare(self):
        with self.server():
            pass
        data.fill(self.database)

    def start_ten_times(self):
        times = []
        for _ in range(STARTS):
            with self.server() as server:
                times.append(server.ready_after)
        return statistics.median(times)

    def idle_memory(self):
        with self.server() as server:
            time.sleep(SETTLED_SECONDS)
            return server.memory_mb("VmRSS")

    def get(self, server, path):
        status, body = server.get(path, self.token)
        if status != 200:
            raise SystemExit(f"{server.name} answers {status} to {path}")
        return json.loads(body)

    def scenarios(self, server):
        organization = "/v1/orgs/" + self.get(server, "/v1/orgs")["items"][0]["id"]
        members = f"{organization}/members?limit={PAGE}"
        deep = members
        for _ in range(DEEP):
            deep = f"{members}&page={self.get(server, deep)['next']['page']}"
        teams = self.get(server, f"{organization}/teams?limit=1000")["items"]
        shared = [Scenario("read an organization", [organization]), Scenario("list 50 members", [members])]
        return shared, [
            Scenario("getApiInformation", ["/v1/"]),
            *shared,
            Scenario("list 50 members, deep cursor", [deep]),
            Scenario(
                "patch a team",
                [f"{organization}/teams/{team['id']}" for team in teams],
                ['{"title":"Field manuals"}', '{"title":"Service bulletins"}'],
            ),
            Scenario("a 404 with a token", [f"{organization}/teams/{'0' * 26}"], status=404),
        ]

    def compare(self, server, peer, shared):
        """Both have to give the same answer, but for their address and their cursor."""
        for scenario in shared:
            ours, theirs = (self.comparable(each, scenario) for each in (server, peer))
            if ours != theirs:
                at = max(len(os.path.commonprefix([ours, theirs])) - 40, 0)
                excerpts = f"…{ours[at : at + 80]}…\n…{theirs[at : at + 80]}…"
                raise SystemExit(f"{scenario.name}: the peer answers something else\n{excerpts}")

    def comparable(self, server, scenario):
        answer = self.get(server, scenario.paths[0])
        answer.get("next", {}).pop("page", None)
        return json.dumps(answer, sort_keys=True).replace(server.address, "")

    def measure(self):
        ours, theirs = {}, {}
        with self.server() as server, self.by_hand() as peer:
            shared, scenarios = self.scenarios(server)
            self.compare(server, peer, shared)
            # In turns, so that what else the machine does meets both.
            for number in range(ROUNDS):
                for scenario in scenarios:
                    print(f"round {number + 1} of {ROUNDS}: {scenario.name}", file=sys.stderr)
                    ours.setdefault(scenario.name, []).append(run(server, scenario, self.token, SECONDS))
                    if scenario in shared:
                        theirs.setdefault(scenario.name, []).append(run(peer, scenario, self.token, SECONDS))
        return medians(ours), medians(theirs)


def medians(runs):
    return {name: Figures.of(several) for name, several in runs.items()}


def print_table(title, rows):
    print(f"\n{title:34}{'requests/s':>11}{'p50 ms':>9}{'p99 ms':>9}{'CPU ms/1,000':>14}{'peak MB':>9}")
    for name, row in rows.items():
        print(
            f"{name:34}{row.per_second:11,.0f}{row.p50_ms:9.2f}{row.p99_ms:9.2f}"
            f"{row.cpu_ms_per_1000:14.1f}{row.peak_mb:9.1f}"
        )


def print_ratios(ours, theirs):
    print(f"\n{'bindery : peer':34}{'requests/s':>11}{'p50':>9}{'p99':>9}{'CPU':>14}")
    for name, peer in theirs.items():
        own = ours[name]
        print(
            f"{name:34}{own.per_second / peer.per_second:11.2f}{own.p50_ms / peer.p50_ms:9.2f}"
            f"{own.p99_ms / peer.p99_ms:9.2f}{own.cpu_ms_per_1000 / peer.cpu_ms_per_1000:14.2f}"
        )


def main():
    bench = Bench(*sys.argv[1:])
    load = os.getloadavg()[0]
    bench.prepare()
    ready, idle = bench.start_ten_times(), bench.idle_memory()
    ours, theirs = bench.measure()
    print(
        f"{os.cpu_count()} cores, shared with wrk (1 thread, {CONNECTIONS} connections); SQLite, "
        f"{data.MEMBERS:,} members, {data.TEAMS} teams; medians of {ROUNDS} runs of {SECONDS} s each; "
        f"load average at the start {load:.1f}"
    )
    print_table("bindery", ours)
    print_table("peer (axum and sqlx by hand)", theirs)
    print_ratios(ours, theirs)
    print(f"\nidle memory   {idle:6.1f} MB   {SETTLED_SECONDS} s after the start on this database")
    print(f"ready after   {ready * 1000:6.1f} ms   from exec to 200 of /readyz, median of {STARTS} starts")


main()
