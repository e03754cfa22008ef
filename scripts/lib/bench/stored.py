"""What the database holds of content, read from its file beside the server."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass


@dataclass(frozen=True)
class Stored:
    objects: int
    object_bytes: int
    revisions: int
    # The pages of the file that are in use, with what still stands in its log.
    file_bytes: int

    @staticmethod
    def of(database):
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
            ask = lambda query: db.execute(query).fetchone()
            objects, object_bytes = ask("SELECT count(*), total(length(data)) FROM content_objects")
            (revisions,) = ask("SELECT count(*) FROM revisions")
            (size,), (used,), (free,) = map(ask, ["PRAGMA page_size", "PRAGMA page_count", "PRAGMA freelist_count"])
        return Stored(objects, int(object_bytes), revisions, size * (used - free))

    @staticmethod
    def rows(database, table):
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as db:
            return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    def since(self, before):
        return Stored(
            self.objects - before.objects, self.object_bytes - before.object_bytes,
            self.revisions - before.revisions, self.file_bytes - before.file_bytes,
        )
