"""What all sections share: the programs, the places of their data, and how much is measured."""

import json
import os
import secrets
import shutil
import sqlite3
import sys
from pathlib import Path

from data import id_of
from load import Figures, run
from processes import Server, output

SECONDS = int(os.environ.get("BENCH_SECONDS", "10"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))
ADMIN = "admin@tidewater.example"

# How the peer keeps the numbers of comments, and pages as answers show them. It neither resolves nor deletes comments.
COUNTERS = """
    CREATE TABLE peer_comments (list_id BLOB PRIMARY KEY, comments INTEGER NOT NULL, open INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO peer_comments SELECT list_id, COUNT(*), SUM(status = 'open') FROM comments GROUP BY list_id;
    CREATE TABLE peer_pages (space_id BLOB, page_id BLOB, answer TEXT NOT NULL, PRIMARY KEY (space_id, page_id)) WITHOUT ROWID;
    CREATE VIRTUAL TABLE peer_search USING fts5(title, body, page_id UNINDEXED, path UNINDEXED, tokenize = 'porter unicode61', prefix = '2 3');
    CREATE TRIGGER peer_comment AFTER INSERT ON comments BEGIN
        INSERT INTO peer_comments VALUES (NEW.list_id, 1, 1)
        ON CONFLICT DO UPDATE SET comments = comments + 1, open = open + 1;
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

    def server(self, place, **settings):
        return Server(
            "bindery", [self.program, "serve"], self.directory / "bindery.log",
            BINDERY_LISTEN="{address}", **self.settings(place), **settings,
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

    def give_pages(self, place, server, peer, paths):
        """Stores these answers of the server for the peer."""
        with sqlite3.connect(database(self.place(f"{place.name}-peer"))) as db:
            for path in paths:
                answer = server.get(path, self.admin)[1].decode().replace(server.address, peer.address)
                _, _, _, space, _, _, page = path.split("/")
                db.execute("INSERT INTO peer_pages VALUES (?, ?, ?)", (id_of(space), id_of(page), answer))
        db.close()

    def give_texts(self, place, pages):
        """Stores the title, the text, the id and the path of each page for the search of the peer."""
        with sqlite3.connect(database(self.place(f"{place.name}-peer"))) as db:
            rows = [(page["title"], text, id_of(page["id"]), page["path"]) for page, text in pages]
            db.executemany("INSERT INTO peer_search VALUES (?, ?, ?, ?)", rows)
            db.execute("INSERT INTO peer_search(peer_search) VALUES ('optimize')")
        db.close()

    def create(self, place, what, *arguments, **extra):
        """Has the program itself make something, which it prints."""
        settings = self.settings(place) | extra
        return json.loads(output([self.program, what, "create", *arguments, "--json"], **settings))[0]

    def add_member(self, place, organization, email, **extra):
        output([self.program, "org", "add-member", organization, email, "--role", "read"], **self.settings(place) | extra)

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
