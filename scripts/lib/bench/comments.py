"""Sections on comments, beside the peer."""

import json

import data
import discussions
import scenarios
from bench import ROUNDS, SECONDS, database, in_turns
from client import Client
from load import Scenario
from structure import compare
from tables import print_figures, print_ratios

LIST = f"list {scenarios.PAGE} of {discussions.COMMENTS:,} comments"


class Comments:
    def __init__(self, bench):
        self.bench, self.data = bench, bench.place("comments")
        self.space = None

    def prepare(self):
        """Once, by the first section that needs it."""
        if self.space:
            return
        bench = self.bench
        bench.first_run(self.data)
        data.fill(database(self.data))
        with bench.server(self.data) as server, Client(server, bench.admin) as client:
            organization = bench.organization(self.data)
            made = client.post(f"/v1/orgs/{organization}/spaces", {"title": "Gripper G4"})
            self.space = made.body["id"]
        discussions.fill(database(self.data), data.id_of(self.space))

    def comments(self):
        self.prepare()
        bench = self.bench
        path = f"/v1/spaces/{self.space}/comments"
        with bench.server(self.data) as server, bench.by_hand(self.data) as peer:
            first = Scenario.reading(LIST, bench.admin, [f"{path}?limit={scenarios.PAGE}"])
            space = Scenario.reading("get the space", bench.admin, [f"/v1/spaces/{self.space}"])
            compare(server, peer, [first, space])
            deep = {
                each: scenarios.pages(each, first.path, bench.admin)[-2:-1] for each in (server, peer)
            }
            deep = {each: Scenario.reading("…, deep cursor", bench.admin, paths) for each, paths in deep.items()}
            posting = {each: Scenario("post a comment", bench.admin, posts(path)) for each in (server, peer)}
            both = [{each: one for each in (server, peer)} for one in (space, first)] + [deep]
            # What adds comments comes after what counts them.
            figures = [in_turns([(each, one[each]) for each in (server, peer)]) for one in [*both, posting]]
        names = [space.name, LIST, "…, deep cursor", "post a comment"]
        ours, theirs = ({name: pair[i] for name, pair in zip(names, figures)} for i in range(2))
        print(
            f"\n{discussions.COMMENTS:,} comments, a third with replies, half with reactions; "
            f"medians of {ROUNDS} runs of {SECONDS} s each"
        )
        print_figures("bindery", ours)
        print_figures("peer (axum and sqlx by hand)", theirs)
        print_ratios("bindery : peer", [(name, ours[name], theirs[name]) for name in names])


def posts(path):
    bodies = (json.dumps({"body": {"markdown": discussions.TEXT.format(n, n % 50)}}) for n in range(1_000))
    return [f"POST {path} {body}" for body in bodies]
