"""Memory and other people's writes beside large texts: `python3 scripts/lib/bench/heavy.py PROGRAM DIRECTORY [DATABASE_URL]`.

Prints the most memory of the server while 40 callers post texts of 1 MB of hostile shapes and while 30 callers read one as
nodes, and the times of small writes of another space while others edit pages of 6 MB."""

import http.client
import json
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from processes import Server

TOKEN = "a-token-of-the-benchmark-with-enough-characters"
SIZE = 1_000_000
POSTS, READS = 40, 30
EDITORS = (4, 12)
SECONDS = 20
SHAPES = {
    "list items": ("* a\n", 9000, "\n---\n\n"),
    "links in a list": ("* [a](b)\n", 9000, "\n---\n\n"),
    "emphasis": ("*a* ", 4000, "\n\n"),
    "one paragraph": ("*a* ", 10**6, ""),
    "paragraphs": ("a\n\n", 9000, "\n"),
    "table cells": ("|a|b|\n", 4000, "\n\n|a|b|\n|-|-|\n"),
    "code lines": ("a\n", 10**6, ""),
    "code spans": ("`a` ", 4000, "\n\n"),
}
WORDS = "Some **bold** words with `code`, a [link](https://example.com/{n}) and more of them until the line ends, word{n}.\n\n"


def hostile(name):
    unit, times, separator = SHAPES[name]
    text = "```\n" if name == "code lines" else ""
    part = unit * min(times, SIZE // len(unit)) + separator
    return (text + part * (SIZE // len(part) + 1))[:SIZE]


def prose(number):
    lines, size = [], 0
    while size < SIZE - 300:
        lines.append(WORDS.format(n=number * 100_000 + len(lines)))
        size += len(lines[-1])
    return "".join(lines[:9_900])


def call(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        size, head = 0, b""
        while chunk := response.read(1 << 16):
            size += len(chunk)
            head = head or chunk
        return response.status, head, size
    finally:
        connection.close()


def expect(port, method, path, body=None):
    status, head, _ = call(port, method, path, body)
    if status not in (200, 201, 204):
        raise SystemExit(f"{method} {path}: {status} {head[:300]}")
    return json.loads(head or b"{}")


def insert(title, text, **fields):
    return {"operation": "insert_page", "title": title, "document": {"markdown": text}, **fields}


def together(count, work):
    """What `count` threads return that all begin at once."""
    results = [None] * count
    barrier = threading.Barrier(count)

    def run(index):
        barrier.wait()
        try:
            results[index] = work(index)
        except OSError as error:
            results[index] = type(error).__name__

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class Heavy:
    def __init__(self, server):
        self.server, self.port = server, server.port
        self.organization = expect(self.port, "GET", "/v1/orgs")["items"][0]["id"]

    def space(self, title):
        made = expect(self.port, "POST", f"/v1/orgs/{self.organization}/spaces", {"title": title, "empty": True})
        return made["id"]

    def peak(self, name, work):
        self.server.forget_peak()
        started = time.monotonic()
        results = work()
        peak, rest = self.server.memory_mb("VmHWM"), self.server.memory_mb("VmRSS")
        statuses = dict(Counter(results))
        print(f"{name:>40}: peak {peak:7.0f} MB, then {rest:6.0f} MB, {time.monotonic() - started:6.1f} s, {statuses}", flush=True)

    def memory(self):
        print(f"{'idle':>40}: {self.server.memory_mb('VmHWM'):.0f} MB", flush=True)
        for name in SHAPES:
            text, space = hostile(name), self.space(name)
            path = f"/v1/spaces/{space}/content"
            body = {"changes": [insert("Page", text)]}
            self.peak(f"{POSTS} posts of {name}", lambda: [a[0] if isinstance(a, tuple) else a for a in together(POSTS, lambda _: call(self.port, "POST", path, body))])
            pages = json.loads(self.whole(f"/v1/spaces/{space}/content/pages"))["pages"]
            if not pages:
                continue
            read = f"/v1/spaces/{space}/content/page/{pages[0]['id']}?format=document"
            self.peak(f"{READS} reads of {name}", lambda: [a[0] if isinstance(a, tuple) else a for a in together(READS, lambda _: call(self.port, "GET", read))])

    def whole(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
        return connection.getresponse().read()

    def writes(self):
        small = self.space("Small")
        path = f"/v1/spaces/{small}"
        expect(self.port, "POST", f"{path}/content", {"changes": [insert("Page", "a")]})
        texts = [prose(number) for number in range(6)]
        for editors in (0, *EDITORS):
            spaces = [self.space(f"Large {editors} {index}") for index in range(editors)]
            ends = time.monotonic() + SECONDS
            times, edits, stop = [], Counter(), threading.Event()

            def edit(space):
                number = 0
                while not stop.is_set():
                    number += 1
                    changes = [insert(f"Page {number} {at}", f"{number}\n\n{text}") for at, text in enumerate(texts)]
                    try:
                        edits[call(self.port, "POST", f"/v1/spaces/{space}/content", {"changes": changes})[0]] += 1
                    except OSError as error:
                        edits[type(error).__name__] += 1

            threads = [threading.Thread(target=edit, args=(space,), daemon=True) for space in spaces]
            for thread in threads:
                thread.start()
            number = 0
            while time.monotonic() < ends:
                number += 1
                started = time.monotonic()
                expect(self.port, "PATCH", path, {"title": f"Small {number}"})
                times.append(time.monotonic() - started)
                time.sleep(0.01)
            stop.set()
            for thread in threads:
                thread.join()
            times.sort()
            p50, p99 = times[len(times) // 2] * 1000, times[len(times) * 99 // 100] * 1000
            print(
                f"{editors:>3} editors: {len(times)} small writes, p50 {p50:.0f} ms, p99 {p99:.0f} ms, "
                f"longest {times[-1] * 1000:.0f} ms, edits {dict(edits)}, "
                f"peak {self.server.memory_mb('VmHWM'):.0f} MB",
                flush=True,
            )


def main():
    program, directory, *rest = sys.argv[1:]
    only = [name for name in rest if name in ("memory", "writes")] or ["memory", "writes"]
    database = [name for name in rest if "://" in name]
    directory = Path(directory)
    settings = {
        "BINDERY_LISTEN": "{address}",
        "BINDERY_DATA_DIR": str(directory / "data"),
        "BINDERY_ADMIN_TOKEN": TOKEN,
        "BINDERY_RATE_LIMIT": "off",
    }
    if database:
        settings["BINDERY_DATABASE_URL"] = database[0]
    with Server("bindery", [program, "serve"], directory / "log", **settings) as server:
        heavy = Heavy(server)
        for name in only:
            getattr(heavy, name)()


if __name__ == "__main__":
    main()
