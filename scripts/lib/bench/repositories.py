"""Spaces and branches of Git repositories: the first import, an export without changes, and one edit each way, for books of 1, 10 and
100 times the size, while somebody reads a page again and again."""

import statistics
import subprocess
import threading
import time

import book
from bench import say
from client import Client
from tables import print_table

SIZES = (340, 3_400, 34_000)
# Seconds that an operation may take.
LIMIT = 900
COLUMNS = {
    "import s": ".2f", "no change s": ".2f", "edit out s": ".2f", "commit in s": ".2f", "peak MB": ".0f", "read p50 ms": ".1f",
    "read p99 ms": ".1f",
}


class Repositories:
    def __init__(self, bench):
        self.bench = bench

    def git(self):
        rows = [(f"{pages:,} pages", self.measured(pages)) for pages in SIZES]
        print_table("A space and a branch", COLUMNS, rows)

    def measured(self, pages):
        say(f"a repository of {pages:,} pages")
        bench = self.bench
        data, clone, bare = bench.place(f"git-{pages}"), bench.place(f"clone-{pages}"), bench.place(f"bare-{pages}")
        book.write(clone, pages)
        git(bench.place("."), "init", "--quiet", "--bare", "--initial-branch=main", bare)
        git(clone, "init", "--quiet", "--initial-branch=main")
        commit(clone, bare, "Begin")
        bench.first_run(data)
        with bench.server(data, BINDERY_GIT_ALLOW="file") as server, Client(server, bench.admin) as client:
            made = client.post(f"/v1/orgs/{bench.organization(data)}/spaces", {"title": "Manual"}).body["id"]
            space = Space(client, made, bare)
            server.forget_peak()
            times = [space.run("import")]
            with Reader(server, bench.admin, made) as reader:
                times.append(space.run("export"))
                space.edit("One sentence more.")
                times.append(space.run("export"))
                git(clone, "pull", "--quiet", "--rebase", f"file://{bare}", "main")
                page = next(path for path in sorted(clone.rglob("*.md")) if path.name != "SUMMARY.md")
                page.write_text(page.read_text() + "\nOne sentence more.\n")
                commit(clone, bare, "Add a sentence")
                times.append(space.run("import"))
            return [*times, server.memory_mb("VmHWM"), *reader.figures()]


class Space:
    def __init__(self, client, space, bare):
        self.client, self.path, self.bare = client, f"/v1/spaces/{space}", bare

    def run(self, direction):
        body = {"url": f"file://{self.bare}", "ref": "refs/heads/main"}
        if direction == "export":
            body["commitMessage"] = "Write the pages"
        started = time.monotonic()
        status, answer = self.client.attempt("POST", f"{self.path}/git/{direction}", body)
        if status != 204:
            raise SystemExit(f"the {direction} is answered by {status}: {answer.body}")
        while time.monotonic() - started < LIMIT:
            operation = self.client.get(f"{self.path}/git/info").body["operation"]
            if operation["state"] == "success":
                return time.monotonic() - started
            if operation["state"] == "failure":
                raise SystemExit(f"the {direction} fails: {operation['error']}")
            time.sleep(0.02)
        raise SystemExit(f"the {direction} does not end")

    def edit(self, sentence):
        first = self.client.get(f"{self.path}/content/pages").body["pages"][0]["id"]
        text = self.client.get(f"{self.path}/content/page/{first}?format=markdown").body["markdown"]
        change = {"operation": "update_page", "page": first, "document": {"markdown": f"{text}\n\n{sentence}\n"}}
        self.client.post(f"{self.path}/content", {"changes": [change]})


class Reader:
    """Somebody who reads a page, again and again."""

    def __init__(self, server, token, space):
        self.server, self.token, self.space, self.times, self.ends = server, token, space, [], threading.Event()
        self.thread = threading.Thread(target=self.read)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()

    def read(self):
        with Client(self.server, self.token) as client:
            pages = client.get(f"/v1/spaces/{self.space}/content/pages").body["pages"]
            while not self.ends.is_set():
                page = pages[len(self.times) % len(pages)]["id"]
                self.times.append(client.get(f"/v1/spaces/{self.space}/content/page/{page}?format=document").seconds)

    def figures(self):
        ordered = sorted(self.times)
        return statistics.median(ordered) * 1000, ordered[len(ordered) * 99 // 100] * 1000


def commit(clone, bare, message):
    git(clone, "add", "--all")
    git(clone, "-c", "user.name=Wren", "-c", "user.email=wren@example.com", "commit", "--quiet", "--message", message)
    git(clone, "push", "--quiet", f"file://{bare}", "main")


def git(directory, *arguments):
    subprocess.run(["git", *map(str, arguments)], cwd=directory, check=True)
