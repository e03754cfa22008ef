"""What all sections share: the programs, the places of their data, and how much is measured."""

import json
import os
import secrets
import shutil
import sqlite3
import sys
from pathlib import Path

from load import Figures, run
from processes import Server, output

SECONDS = int(os.environ.get("BENCH_SECONDS", "10"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
ADMIN = "admin@tidewater.example"

# How the peer keeps the number of open comments. It neither resolves nor deletes comments.
COUNTERS = """
    CREATE TABLE peer_open_comments (list_id BLOB PRIMARY KEY, comments INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO peer_open_comments SELECT list_id, COUNT(*) FROM comments WHERE status = 'open' GROUP BY list_id;
    CREATE TRIGGER peer_comment AFTER INSERT ON comments BEGIN
        INSERT INTO peer_open_comments VALUES (NEW.list_id, 1) ON CONFLICT DO UPDATE SET comments = comments + 1;
    END;
"""


class Bench:
    def __init__(self, program, peer, directory):
        self.program, self.peer, self.directory = program, peer, Path(directory)
        self.admin = f"bnd_bench_{secrets.token_hex(24)}"

    def settings(self, place):
        return {
            "BINDERY_DATA_DIR": str(place), "BINDERY_ADMIN_EMAIL": ADMIN, "BINDERY_ADMIN_TOKEN": self.admin,
            "BINDERY_RATE_LIMIT": "off",
        }

    def place(self, name):
        return self.directory / name

    def server(self, place):
        return Server(
            "bindery", [self.program, "serve"], self.directory / "bindery.log",
            BINDERY_LISTEN="{address}", **self.settings(place),
        )

    def by_hand(self, place):
        """The peer, on a copy of its own: both servers write."""
        copy = self.place(f"{place.name}-peer")
        if not copy.exists():
            shutil.copytree(place, copy)
            with sqlite3.connect(database(copy)) as db:
                db.executescript(COUNTERS)
            db.close()
        return Server("peer", [self.peer, str(database(copy)), "{address}"], self.directory / "peer.log")

    def create(self, place, what, *arguments):
        """Has the program itself make something, which it prints."""
        return json.loads(output([self.program, what, "create", *arguments, "--json"], **self.settings(place)))[0]

    def organization(self, place):
        """The id of the only one that there is."""
        (found,) = json.loads(output([self.program, "org", "list", "--json"], **self.settings(place)))
        return found["id"]

    def first_run(self, place):
        with self.server(place):
            pass


def database(place):
    return place / "bindery.db"


def in_turns(runs):
    """The medians of each server with its scenario. In turns, so that what else the machine does meets all."""
    figures = [[] for _ in runs]
    for number in range(ROUNDS):
        for (server, scenario), several in zip(runs, figures):
            say(f"round {number + 1} of {ROUNDS}: {server.name}, {scenario.name}")
            several.append(run(server, scenario, SECONDS))
    return [Figures.of(several) for several in figures]


def say(what):
    """How far it is, apart from the tables."""
    print(what, file=sys.stderr)
