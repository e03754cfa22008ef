"""scripts/bench after its builds: `python3 scripts/lib/bench SERVER PEER DIRECTORY`."""

import json
import os
import secrets
import shutil
import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import data
import scenarios
import tree
from load import CONNECTIONS, Figures, run
from processes import Server, output
from tables import print_figures, print_growth, print_ratios

SECONDS = int(os.environ.get("BENCH_SECONDS", "10"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
STARTS = 10
# How many collections and how many permissions there are beside 1,000 spaces: in most tables, and in that of growth.
SIZE = 1_000
SIZES = [100, 1_000, 10_000]
ADMIN = "admin@tidewater.example"
# Until a server that was just started is taken for idle.
SETTLED_SECONDS = 5


class Bench:
    def __init__(self, program, peer, directory):
        self.program, self.peer, self.directory = program, peer, Path(directory)
        self.data = self.directory / "data"
        self.admin = f"bnd_bench_{secrets.token_hex(24)}"
        self.member = None

    def settings(self, place):
        return {
            "BINDERY_DATA_DIR": str(place), "BINDERY_ADMIN_EMAIL": ADMIN, "BINDERY_ADMIN_TOKEN": self.admin,
            "BINDERY_RATE_LIMIT": "off", "RUST_LOG": "warn",
        }

    def server(self, place=None):
        return Server(
            "bindery", [self.program, "serve"], self.directory / "bindery.log",
            BINDERY_LISTEN="{address}", **self.settings(place or self.data),
        )

    def by_hand(self):
        return Server("peer", [self.peer, str(database(self.data)), "{address}"], self.directory / "peer.log")

    def create(self, what, *arguments):
        """Has the program itself make something, which it prints."""
        return json.loads(output([self.program, what, "create", *arguments, "--json"], **self.settings(self.data)))[0]

    def sized(self, size):
        return self.directory / f"data-{size}"

    def prepare(self):
        with self.server():
            pass
        data.fill(database(self.data))
        self.member = self.create("token", data.READER)["token"]
        for size in SIZES:
            shutil.copytree(self.data, self.sized(size))
            tree.fill(database(self.sized(size)), size)
        tree.fill(database(self.data), SIZE)
        self.create("org", tree.SIBLINGS, "--owner", ADMIN)
        tree.fill_siblings(database(self.data))

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

    def organizations(self, server):
        """The one with everything, and the one in which spaces are moved."""
        found = scenarios.read(server, "/v1/orgs", self.admin)["items"]
        paths = {one["title"] == tree.SIBLINGS: f"/v1/orgs/{one['id']}" for one in found}
        return paths[False], paths.get(True)

    def measure(self):
        with self.server() as server, self.by_hand() as peer:
            organization, siblings = self.organizations(server)
            shared, everything = scenarios.foundation(server, self.admin, organization)
            compare(server, peer, [*shared, scenarios.everybody(self.admin, organization)])
            everything += scenarios.spaces(server, self.admin, self.member, organization, siblings)
            runs = [(each, one) for one in everything for each in (server, peer) if each is server or one in shared]
            figures = in_turns(runs)
        ours = {one.name: found for (each, one), found in zip(runs, figures) if each is server}
        theirs = {one.name: found for (each, one), found in zip(runs, figures) if each is peer}
        return ours, theirs

    def measure_growth(self):
        """A page of spaces, by the number of collections and permissions and by who reads it."""
        with ExitStack() as running:
            runs = {}
            for size in SIZES:
                server = running.enter_context(self.server(self.sized(size)))
                organization, _ = self.organizations(server)
                for who, token, count in [("admin", self.admin, tree.SPACES), ("member", self.member, tree.SEEN)]:
                    name = f"list 50 spaces, {size:,} of each, {who}"
                    runs[size, who] = server, scenarios.list_of_spaces(name, server, token, organization, count)
            return dict(zip(runs, in_turns(list(runs.values()))))


def database(place):
    return place / "bindery.db"


def compare(server, peer, shared):
    """Both have to give the same answer, but for their address and their cursor."""
    for scenario in shared:
        ours, theirs = (comparable(each, scenario) for each in (server, peer))
        if ours != theirs:
            at = max(len(os.path.commonprefix([ours, theirs])) - 40, 0)
            excerpts = f"…{ours[at : at + 80]}…\n…{theirs[at : at + 80]}…"
            raise SystemExit(f"{scenario.name}: the peer answers something else\n{excerpts}")


def comparable(server, scenario):
    answer = scenarios.read(server, scenario.path, scenario.token)
    answer.get("next", {}).pop("page", None)
    return json.dumps(answer, sort_keys=True).replace(server.address, "")


def in_turns(runs):
    """The medians of each server with its scenario. In turns, so that what else the machine does meets all."""
    figures = [[] for _ in runs]
    for number in range(ROUNDS):
        for (server, scenario), several in zip(runs, figures):
            print(f"round {number + 1} of {ROUNDS}: {server.name}, {scenario.name}", file=sys.stderr)
            several.append(run(server, scenario, SECONDS))
    return [Figures.of(several) for several in figures]


def print_tables(ours, theirs, growth):
    print_figures("bindery", ours)
    print_figures("peer (axum and sqlx by hand)", theirs)
    print_ratios("bindery : peer", [(name, ours[name], peer) for name, peer in theirs.items()])
    organization = ours["read an organization"]
    spaces = ["get a space", "get a space as a member"]
    print_ratios("… : read an organization", [(name, ours[name], organization) for name in spaces])
    print_growth("list 50 of 1,000 spaces", growth)


def main():
    bench = Bench(*sys.argv[1:])
    load = os.getloadavg()[0]
    bench.prepare()
    ready, idle = bench.start_ten_times(), bench.idle_memory()
    ours, theirs = bench.measure()
    growth = bench.measure_growth()
    print(
        f"{os.cpu_count()} cores, shared with wrk (1 thread, {CONNECTIONS} connections); SQLite, "
        f"{data.MEMBERS:,} members, {data.TEAMS} teams, {tree.SPACES:,} spaces, of which the member sees {tree.SEEN}, "
        f"{SIZE:,} collections, {SIZE:,} permissions; medians of {ROUNDS} runs of {SECONDS} s each; "
        f"load average at the start {load:.1f}"
    )
    print_tables(ours, theirs, growth)
    print(f"\nidle memory   {idle:6.1f} MB   {SETTLED_SECONDS} s after the start on this database")
    print(f"ready after   {ready * 1000:6.1f} ms   from exec to 200 of /readyz, median of {STARTS} starts")


main()
