"""Sections on an organization with its people and its spaces, beside the peer."""

import json
import os
import shutil
import statistics
import time
from contextlib import ExitStack

import data
import scenarios
import tree
from bench import ADMIN, ROUNDS, SECONDS, database, in_turns
from load import Scenario
from tables import print_figures, print_growth, print_ratios

STARTS = 10
# How many collections and how many permissions there are beside 1,000 spaces: in most tables, and in that of growth.
SIZE = 1_000
SIZES = [100, 1_000, 10_000]
# Until a server that was just started is taken for idle.
SETTLED_SECONDS = 5


class Structure:
    def __init__(self, bench):
        self.bench, self.data = bench, bench.place("data")
        self.member = None

    def prepare(self):
        """Once, by the first section that needs it."""
        if self.member:
            return
        bench = self.bench
        bench.first_run(self.data)
        data.fill(database(self.data))
        self.member = bench.create(self.data, "token", data.READER)["token"]
        for size in SIZES:
            shutil.copytree(self.data, self.sized(size))
            tree.fill(database(self.sized(size)), size)
        tree.fill(database(self.data), SIZE)
        bench.create(self.data, "org", tree.SIBLINGS, "--owner", ADMIN)
        tree.fill_siblings(database(self.data))

    def sized(self, size):
        return self.bench.place(f"data-{size}")

    def organizations(self, server):
        """The one with everything, and the one in which spaces are moved."""
        found = scenarios.read(server, "/v1/orgs", self.bench.admin)["items"]
        paths = {one["title"] == tree.SIBLINGS: f"/v1/orgs/{one['id']}" for one in found}
        return paths[False], paths.get(True)

    def requests(self):
        self.prepare()
        ours, theirs = self._requests()
        print(
            f"\n{data.MEMBERS:,} members, {data.TEAMS} teams, {tree.SPACES:,} spaces, of which the member sees "
            f"{tree.SEEN}, {SIZE:,} collections, {SIZE:,} permissions; medians of {ROUNDS} runs of {SECONDS} s each"
        )
        print_figures("bindery", ours)
        print_figures("peer (axum and sqlx by hand)", theirs)
        print_ratios("bindery : peer", [(name, ours[name], peer) for name, peer in theirs.items()])
        organization = ours["read an organization"]
        spaces = ["get a space", "get a space as a member"]
        print_ratios("… : read an organization", [(name, ours[name], organization) for name in spaces])

    def _requests(self):
        bench = self.bench
        with bench.server(self.data) as server, bench.by_hand(self.data) as peer:
            organization, siblings = self.organizations(server)
            shared, everything = scenarios.foundation(server, bench.admin, organization)
            also_shared, more = scenarios.spaces(server, bench.admin, self.member, organization, siblings)
            shared, everything = shared + also_shared, everything + more
            compare(server, peer, [*shared, scenarios.everybody(bench.admin, organization)])
            runs = [(each, one) for one in everything for each in (server, peer) if each is server or one in shared]
            figures = in_turns(runs)
        ours = {one.name: found for (each, one), found in zip(runs, figures) if each is server}
        theirs = {one.name: found for (each, one), found in zip(runs, figures) if each is peer}
        return ours, theirs

    def log(self):
        """What the access log costs the smallest reads."""
        self.prepare()
        bench = self.bench
        with bench.server(self.data) as server, bench.server(self.data, RUST_LOG="warn") as silent:
            organization, siblings = self.organizations(server)
            shared, _ = scenarios.spaces(server, bench.admin, self.member, organization, siblings)
            some = [shared[0], Scenario.reading("getApiInformation", bench.admin, ["/v1/"])]
            figures = [in_turns([(server, one), (silent, one)]) for one in some]
        print_ratios("with access log : without", [(one.name, *pair) for one, pair in zip(some, figures)])

    def growth(self):
        """A page of spaces, by the number of collections and permissions and by who reads it."""
        self.prepare()
        bench = self.bench
        with ExitStack() as running:
            runs = {}
            for size in SIZES:
                server = running.enter_context(bench.server(self.sized(size)))
                organization, _ = self.organizations(server)
                for who, token, count in [("admin", bench.admin, tree.SPACES), ("member", self.member, tree.SEEN)]:
                    name = f"list 50 spaces, {size:,} of each, {who}"
                    runs[size, who] = server, scenarios.list_of_spaces(name, server, token, organization, count)
            print_growth("list 50 of 1,000 spaces", dict(zip(runs, in_turns(list(runs.values())))))

    def starts(self):
        self.prepare()
        times = []
        for _ in range(STARTS):
            with self.bench.server(self.data) as server:
                times.append(server.ready_after)
        with self.bench.server(self.data) as server:
            time.sleep(SETTLED_SECONDS)
            idle = server.memory_mb("VmRSS")
        ready = statistics.median(times) * 1000
        print(f"\nidle memory   {idle:6.1f} MB   {SETTLED_SECONDS} s after the start on this database")
        print(f"ready after   {ready:6.1f} ms   from exec to 200 of /readyz, median of {STARTS} starts")


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
