"""PostgreSQL and all its processes are killed while many write: no answered write is lost, and the server goes on."""

import collections
import os
import pwd
import shutil
import signal
import subprocess
import threading
import time
from glob import glob

from server import Server, expect, free_port, until

WRITERS = 8
ROUNDS = 5
USER = pwd.getpwnam("postgres")


class Postgres:
    def __init__(self, place):
        self.bin = os.path.dirname(sorted(glob("/usr/lib/postgresql/*/bin/initdb"))[-1])
        self.data, self.port = place / "database", free_port()
        self.data.mkdir(mode=0o700)
        shutil.chown(self.data, "postgres")
        self.run("initdb", "-D", self.data, "-U", "bindery", "-E", "UTF8", "--locale=C.UTF-8", "--auth=trust")
        self.url = f"postgres://bindery@127.0.0.1:{self.port}/postgres"

    def run(self, program, *arguments):
        subprocess.run(
            [f"{self.bin}/{program}", *arguments], user=USER.pw_uid, group=USER.pw_gid, cwd="/", check=True,
            stdout=subprocess.DEVNULL,
        )

    def start(self):
        # The disk is waited for, as an operator would have it.
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories="
        self.run("pg_ctl", "start", "-s", "-w", "-D", self.data, "-l", self.data / "log", "-o", options)

    def kill(self):
        leader = int((self.data / "postmaster.pid").read_text().split()[0])
        found = subprocess.run(["pgrep", "-P", str(leader)], capture_output=True, text=True).stdout.split()
        for process in [leader, *map(int, found)]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        until(lambda: not os.path.exists(f"/proc/{leader}") or state(leader) == "Z")
        # The process may wait for its parent, and then counts as running.
        (self.data / "postmaster.pid").unlink()

    def stop(self):
        self.run("pg_ctl", "stop", "-s", "-m", "fast", "-D", self.data)


def state(process):
    try:
        return open(f"/proc/{process}/stat").read().rsplit(")")[1].split()[0]
    except FileNotFoundError:
        return "Z"


def killed(program, place):
    postgres = Postgres(place)
    postgres.start()
    answers, slowest, kept, running = collections.Counter(), 0.0, [], True

    def write(server, organization, number):
        nonlocal slowest
        for count in range(10**6):
            if not running:
                return
            title = f"team {number} {count}"
            status, _, seconds = server.team(organization, title)
            answers[status] += 1
            slowest = max(slowest, seconds)
            if status == 200 or status == 201:
                kept.append(title)
            else:
                time.sleep(0.05)

    with Server(program, place, BINDERY_DATABASE_URL=postgres.url) as server:
        organization = server.organization()
        writers = [
            threading.Thread(target=write, args=(server, organization, number), daemon=True)
            for number in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        for _ in range(ROUNDS):
            before = len(kept)
            until(lambda: len(kept) >= before + 100)
            postgres.kill()
            expect(server.ready() == 503, "the server is ready without its database")
            postgres.start()
            until(lambda: server.ready() == 200)
        before = len(kept)
        until(lambda: len(kept) >= before + 100)
        running = False
        for writer in writers:
            writer.join()
        found, page = [], ""
        while page is not None:
            _, list_, _ = server.call("GET", f"/v1/orgs/{organization}/teams?limit=1000{page}")
            found += [team["title"] for team in list_["items"]]
            page = f"&page={list_['next']['page']}" if "next" in list_ else None
        lost = set(kept) - set(found)
        expect(not lost, f"{len(lost)} answered writes are lost, such as {sorted(lost)[:3]}")
        twice = [title for title, count in collections.Counter(found).items() if count > 1]
        expect(not twice, f"{len(twice)} writes were made twice, such as {twice[:3]}")
        unexpected = set(answers) - {200, 201, 503}
        expect(not unexpected, f"writes answer {unexpected}")
    postgres.stop()
    yield f"killed {ROUNDS} times under {WRITERS} writers: {len(kept)} answered writes, 0 lost"
    yield f"answers {dict(sorted(answers.items()))}, the slowest after {slowest:.1f} s"
