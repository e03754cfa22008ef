"""Changes to a space, in it and by change requests, and what they leave in the database."""

import statistics

import contents
from client import Client
from stored import Stored

# Changes of one request.
BATCH = 50


class Changes:
    # What one revision of many takes, and how long.
    PER_REVISION = {
        "p50 ms": ".2f", "p99 ms": ".2f", "objects": ".1f", "object KB": ".1f", "database KB": ".1f", "disk KB": ".1f",
    }
    PER_MERGE = {"editing s": ".2f", "merge s": ".3f", "objects": ",.0f", "object KB": ",.0f", "disk KB": ",.0f"}

    def __init__(self, server, token, space, database):
        self.server, self.token, self.space, self.database = server, token, space, database
        self.client = Client(server, token)
        self.pages = contents.documents(server, token, space)
        self.before = Stored.of(database)
        self.disk_before, self.times = server.written_bytes(), []

    def edit(self, count):
        """Changes a line of a page, so many times, each time another one as long as there are any."""
        pages = contents.spread(self.pages, count)
        texts = [contents.text(self.server, self.token, self.space, page) for page in pages]
        self.disk_before = self.server.written_bytes()
        for number in range(count):
            at = number % len(pages)
            change = changed(pages[at], texts[at], number)
            answer = self.client.post(f"{self.space.path}/content", {"changes": [change]})
            self.times.append(answer.seconds * 1000)

    def per_revision(self):
        made = Stored.of(self.database).since(self.before)
        count = len(self.times)
        if made.revisions != count:
            raise SystemExit(f"{count} edits made {made.revisions} revisions")
        disk = self.server.written_bytes() - self.disk_before
        bytes_each = [each / count / 1000 for each in (made.object_bytes, made.file_bytes, disk)]
        return [*middle_and_worst(self.times), made.objects / count, *bytes_each]

    def merge(self, count):
        """Merges a change request of so many pages into the space, in which another page has changed meanwhile."""
        theirs, *ours = contents.spread(self.pages, count + 1)
        path = f"{self.space.path}/change-requests"
        path = f"{path}/{self.client.post(path, {'subject': 'Revised'}).body['id']}"
        editing = sum(
            self.client.post(f"{path}/content", {"changes": [self.revised(page) for page in batch]}).seconds
            for batch in batches(ours)
        )
        self.client.post(f"{self.space.path}/content", {"changes": [self.revised(theirs)]})
        before, disk = Stored.of(self.database), self.server.written_bytes()
        answer = self.client.post(f"{path}/merge")
        if answer.body["result"] != "merge":
            raise SystemExit(f"not merged: {answer.body}")
        made, disk = Stored.of(self.database).since(before), self.server.written_bytes() - disk
        return editing, answer.seconds, made.objects, made.object_bytes / 1000, disk / 1000

    def revised(self, page):
        text = contents.text(self.server, self.token, self.space, page)
        return changed(page, text, len(text))


def changed(page, text, number):
    return {
        "operation": "update_page", "page": page["id"],
        "document": {"markdown": f"{text}\n\nRevised for the {number}th time."},
    }


def batches(pages):
    return [pages[at : at + BATCH] for at in range(0, len(pages), BATCH)]


def middle_and_worst(times):
    return statistics.median(times), statistics.quantiles(times, n=100, method="inclusive")[98]
