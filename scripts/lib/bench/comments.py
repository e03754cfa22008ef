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
            compare(server, peer, [first])
            deep = {
                each: scenarios.pages(each, first.path, bench.admin)[-2:-1] for each in (server, peer)
            }
            deep = {each: Scenario.reading("…, deep cursor", bench.admin, paths) for each, paths in deep.items()}
            posting = Scenario("post a comment", bench.admin, posts(path))
            # What adds comments comes after what counts them.
            runs = [(server, first), (peer, first), (server, deep[server]), (peer, deep[peer])]
            figures = in_turns(runs) + in_turns([(server, posting)])
        ours, theirs, ours_deep, theirs_deep, posted = figures
        print(
            f"\n{discussions.COMMENTS:,} comments, a third with replies, half with reactions; "
            f"medians of {ROUNDS} runs of {SECONDS} s each"
        )
        print_figures("bindery", {LIST: ours, "…, deep cursor": ours_deep, posting.name: posted})
        print_figures("peer (axum and sqlx by hand)", {LIST: theirs, "…, deep cursor": theirs_deep})
        print_ratios("bindery : peer", [(LIST, ours, theirs), ("…, deep cursor", ours_deep, theirs_deep)])


def posts(path):
    bodies = (json.dumps({"body": {"markdown": discussions.TEXT.format(n, n % 50)}}) for n in range(1_000))
    return [f"POST {path} {body}" for body in bodies]
