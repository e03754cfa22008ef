"""Other people's writes beside a large import, and beside the purge of what it made:
`python3 scripts/lib/bench/beside.py PROGRAM DIRECTORY PAGES [DATABASE_URL]`.

Prints the times of small writes of another space while a book is imported into a new space, while it is imported again, changed,
and while the space is purged."""

import shutil
import sqlite3
import sys
import threading
import time
from pathlib import Path

import book
from heavy import TOKEN, expect
from processes import Server, measured, output

LIMIT = 3600
PURGE = "purge-deleted-spaces"


class Beside:
    def __init__(self, server, program, place, settings, database):
        self.server, self.port, self.place = server, server.port, place
        self.program, self.settings, self.database = program, settings, database
        self.organization = expect(self.port, "GET", "/v1/orgs")["items"][0]["id"]
        made = expect(self.port, "POST", f"/v1/orgs/{self.organization}/spaces", {"title": "Small", "empty": True})
        self.small = f"/v1/spaces/{made['id']}"

    def writes(self, name, work):
        """Small writes, one after the other, until `work` has ended in a thread of its own."""
        times, results = [], []
        thread = threading.Thread(target=lambda: results.append(work()))
        started = time.monotonic()
        thread.start()
        while thread.is_alive():
            before = time.monotonic()
            expect(self.port, "PATCH", self.small, {"title": f"Small {len(times)}"})
            times.append(time.monotonic() - before)
            time.sleep(0.01)
        thread.join()
        times.sort()
        p50, p99 = times[len(times) // 2] * 1000, times[len(times) * 99 // 100] * 1000
        print(
            f"{name:>24}: {time.monotonic() - started:6.1f} s, {len(times)} small writes, p50 {p50:.1f} ms, "
            f"p99 {p99:.0f} ms, longest {times[-1] * 1000:.0f} ms",
            flush=True,
        )
        return results[0]

    def run_import(self, directory, *target):
        ended = measured([self.program, "import", directory, *target], self.place / "import.log", LIMIT, **self.settings)
        print(f"{'':>24}  the import took {ended.seconds:.1f} s and {ended.peak_mb:.0f} MB", flush=True)
        return ended.printed

    def ask(self, sql):
        if self.database:
            return output(["psql", "-qtA", self.database, "-c", sql]).strip()
        with sqlite3.connect(self.place / "data" / "bindery.db", timeout=60) as connection:
            row = connection.execute(sql).fetchone()
        connection.close()
        return row and row[0]

    def purge(self, space):
        expect(self.port, "DELETE", f"/v1/spaces/{space}")
        # As if it had been deleted long ago.
        self.ask("UPDATE nodes SET deleted_at = 1 WHERE deleted_at IS NOT NULL")
        self.ask(f"UPDATE jobs SET next_attempt_at = 0 WHERE kind = '{PURGE}'")
        while int(self.ask("SELECT count(*) FROM nodes WHERE deleted_at IS NOT NULL")):
            time.sleep(0.5)


def main():
    program, place, pages, *database = sys.argv[1:]
    place, pages = Path(place), int(pages)
    shutil.rmtree(place, ignore_errors=True)
    directory = place / "book"
    book.write(directory, pages)
    settings = {
        "BINDERY_DATA_DIR": str(place / "data"),
        "BINDERY_ADMIN_TOKEN": TOKEN,
        "BINDERY_RATE_LIMIT": "off",
    }
    if database:
        settings["BINDERY_DATABASE_URL"] = database[0]
    with Server("bindery", [program, "serve"], place / "log", BINDERY_LISTEN="{address}", **settings) as server:
        beside = Beside(server, program, place, settings, database[0] if database else None)
        beside.writes("nothing", lambda: time.sleep(5))
        new = ["--org", beside.organization, "--title", "Book"]
        printed = beside.writes(f"import of {pages:,} pages", lambda: beside.run_import(directory, *new))
        space = dict(line.split(maxsplit=1) for line in printed.splitlines())["space"].rpartition("/")[2]
        for text in directory.rglob("*.md"):
            text.write_text(text.read_text() + "\nOne line more.\n")
        beside.writes("the same, changed", lambda: beside.run_import(directory, "--space", space))
        beside.writes("purge of the space", lambda: beside.purge(space))


if __name__ == "__main__":
    main()
