"""Sections on spaces with 100, 1,000 and 10,000 pages, each imported into a database of its own."""

import os
import shutil
import statistics
import threading
from dataclasses import dataclass
from pathlib import Path

import book
import contents
from bench import ROUNDS, SECONDS, database, in_turns, say
from changes import Changes
from client import Client
from processes import measured
from structure import compare
from stored import Stored
from tables import print_figures, print_ratios, print_table

SIZES = [100, 1_000, 10_000]
LARGEST = SIZES[-1]
# A book to import in place of the one that is written here.
BOOK = os.environ.get("BENCH_BOOK")
# Seconds that an import may take.
LIMIT = 600

# How many edits and revisions there are in so many seconds.
EDITS = min(10 * SECONDS, 100)
REVISIONS = min(100 * SECONDS, 1_000)
# How often something is asked for that has to be found out anew.
ANEW = 10
# Changed pages of change requests.
MERGED = [1, 1_000]


@dataclass(frozen=True)
class Space:
    """What an import has made."""

    place: Path
    id: str
    pages: int
    links: int
    seconds: float
    peak_mb: float

    @staticmethod
    def printed(place, ended):
        """As the program says it: each line is a name with what it is."""
        found = dict(line.split(maxsplit=1) for line in ended.printed.splitlines())
        return Space(
            place, found["space"].rpartition("/")[2], int(found["pages"].split(",")[0]),
            int(found["links"].split()[0]), ended.seconds, ended.peak_mb,
        )

    @property
    def path(self):
        return f"/v1/spaces/{self.id}"


class Content:
    def __init__(self, bench):
        self.bench = bench
        self.empty = bench.place("content-empty")
        self.books, self.spaces = {}, {}

    def source(self, size):
        """A directory to import."""
        if size not in self.books:
            directory = self.bench.place(f"book-{size}")
            say(f"a book of {size:,} pages")
            if BOOK:
                book.repeat(BOOK, directory, size)
            else:
                book.write(directory, size)
            self.books[size] = directory
        return self.books[size]

    def space(self, size):
        if size not in self.spaces:
            self.spaces[size] = self.imported(self.source(size), f"content-{size}")
        return self.spaces[size]

    def imported(self, directory, name):
        """A new space in a database in which there was nothing."""
        if not self.empty.exists():
            self.bench.first_run(self.empty)
        place = self.bench.place(name)
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.empty, place)
        say(f"import of {directory.name}")
        return Space.printed(place, self.run_import(place, directory))

    def run_import(self, place, directory):
        organization = self.bench.organization(place)
        arguments = [self.bench.program, "import", directory, "--org", organization, "--title", "Manual"]
        return measured(arguments, self.bench.place("import.log"), LIMIT, **self.bench.settings(place))

    def imports(self):
        books = {f"{size:,} pages": (self.source(size), f"content-{size}") for size in SIZES}
        if BOOK:
            books[f"the book {Path(BOOK).name}"] = Path(BOOK), "content-book"
        rows = []
        for name, (directory, place) in books.items():
            several = [self.imported(directory, place) for _ in range(ROUNDS)]
            seconds = statistics.median(one.seconds for one in several)
            last = several[-1]
            size = Stored.of(database(last.place)).file_bytes / 1e6
            peak = max(one.peak_mb for one in several)
            rows.append((name, [last.pages, last.links, seconds, last.pages / seconds, peak, size]))
        columns = {"pages": ",", "links": ",", "s": ".2f", "pages/s": ",.0f", "peak MB": ".1f", "database MB": ".1f"}
        print_table("bindery import", columns, rows)
        self.beside()

    def beside(self):
        """What those who write notice of a large import."""
        place = self.bench.place("content-beside")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.empty, place)
        with self.bench.server(place) as server, Client(server, self.bench.admin) as client:
            importing = threading.Thread(target=self.run_import, args=(place, self.source(LARGEST)))
            importing.start()
            path, times, refused = f"/v1/orgs/{self.bench.organization(place)}", [], 0
            while importing.is_alive():
                status, answer = client.attempt("PATCH", path, {"title": f"Writes {len(times)}"})
                refused += status != 200
                times.append(answer.seconds * 1000)
            importing.join()
        columns = {"writes": ",", "refused": ",", "p50 ms": ".1f", "longest ms": ",.0f"}
        row = [len(times), refused, statistics.median(times), max(times)]
        print_table("writes of a server meanwhile", columns, [(f"import of {LARGEST:,} pages", row)])

    def reading(self):
        self.measured(contents.reading, "reads")
        space, bench = self.space(LARGEST), self.bench
        with bench.server(space.place) as server, bench.by_hand(space.place) as peer:
            pages = contents.pages_by_id(server, bench.admin, space)
            bench.give_pages(space.place, server, peer, [request.split(" ")[1] for request in pages.requests])
            compare(server, peer, [pages])
            rows = beside(server, peer, [pages])
        print_ratios("bindery : peer", rows)

    def search(self):
        self.measured(contents.searches, "search")
        space, bench = self.space(LARGEST), self.bench
        with bench.server(space.place) as server, bench.by_hand(space.place) as peer:
            pages = contents.documents(server, bench.admin, space)
            bench.give_texts(space.place, [(page, contents.text(server, bench.admin, space, page)) for page in pages])
            found = contents.searches(server, bench.admin, bench.organization(space.place), space, everywhere=False)
            rows = beside(server, peer, found)
        print_ratios("bindery : peer (FTS5)", rows)

    def links(self):
        self.measured(contents.links, "links")
        with self.bench.server(self.space(LARGEST).place) as server:
            changes, times = self.changes(server, LARGEST), []
            for _ in range(ANEW):
                changes.edit(1)
                times.append(changes.client.get(contents.links_of(changes.space)).seconds * 1000)
        columns = {"p50 ms": ".1f", "longest ms": ".1f"}
        row = [statistics.median(times), max(times)]
        print_table("links of the space, asked once", columns, [("after each edit", row)])

    def measured(self, scenarios, what):
        space = self.space(LARGEST)
        with self.bench.server(space.place) as server:
            found = scenarios(server, self.bench.admin, self.bench.organization(space.place), space)
            figures = in_turns([(server, scenario) for scenario in found])
        print_figures(f"{what}, {space.pages:,} pages", {one.name: row for one, row in zip(found, figures)})

    def edits(self):
        rows = []
        for size in SIZES:
            with self.bench.server(self.space(size).place) as server:
                changes = self.changes(server, size)
                changes.edit(EDITS)
                rows.append((f"edit 1 of {changes.space.pages:,} pages", changes.per_revision()))
        print_table(f"{EDITS} edits, one by one", Changes.PER_REVISION, rows)

    def merges(self):
        rows = []
        with self.bench.server(self.space(LARGEST).place) as server:
            for count in MERGED:
                several = [self.changes(server, LARGEST).merge(count) for _ in range(ROUNDS)]
                row = [statistics.median(values) for values in zip(*several)]
                rows.append((f"merge {count:,} changed pages", row))
        print_table(f"in a space of {self.space(LARGEST).pages:,} pages", Changes.PER_MERGE, rows)

    def revisions(self):
        with self.bench.server(self.space(LARGEST).place) as server:
            changes = self.changes(server, LARGEST)
            before = changes.before.file_bytes
            say(f"{REVISIONS:,} revisions")
            changes.edit(REVISIONS)
            after = Stored.of(changes.database).file_bytes
            row = [before / 1e6, after / 1e6, *changes.per_revision()]
        columns = {"before MB": ".1f", "after MB": ".1f"} | Changes.PER_REVISION
        print_table(f"{REVISIONS:,} revisions", columns, [(f"of {changes.space.pages:,} pages", row)])

    def changes(self, server, size):
        space = self.space(size)
        return Changes(server, self.bench.admin, space, database(space.place))


def beside(server, peer, scenarios):
    """The rows of a table of ratios."""
    figures = in_turns([(each, scenario) for scenario in scenarios for each in (server, peer)])
    return list(zip([scenario.name for scenario in scenarios], figures[::2], figures[1::2]))
