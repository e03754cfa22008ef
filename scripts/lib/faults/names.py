"""A name that points to a public address at one question and into this machine at the next, in turns."""

import itertools
import socket
import struct
import threading
from pathlib import Path

from server import Server, expect, free_port

RESOLVER = Path("/etc/resolv.conf")
PUBLIC, PRIVATE = "203.0.113.7", "127.0.0.1"
NAME = "rebinding.test"
CALLS = 40


def answer(question, address):
    """The answer to a question of the DNS, with one address that must not be kept; none for other kinds."""
    end = question.index(b"\0", 12) + 5
    is_address = question[end - 4 : end - 2] == b"\0\1"
    head = question[:2] + b"\x81\x80\0\1" + (b"\0\1" if is_address else b"\0\0") + b"\0\0\0\0"
    record = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(address)
    return head + question[12:end] + (record if is_address else b"")


def rebinding(program, place):
    asked, reached = [], []
    addresses = itertools.cycle([PUBLIC, PRIVATE])
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind(("127.0.0.1", 53))
    inside = socket.create_server(("127.0.0.1", free_port()))

    def resolve():
        while True:
            question, sender = names.recvfrom(512)
            asked.append(next(addresses))
            names.sendto(answer(question, asked[-1]), sender)

    def listen():
        while True:
            reached.append(inside.accept()[1])

    for work in (resolve, listen):
        threading.Thread(target=work, daemon=True).start()
    before = RESOLVER.read_text()
    RESOLVER.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    try:
        with Server(program, place) as server:
            organization = server.organization()
            space = server.call("POST", f"/v1/orgs/{organization}/spaces", {"title": "Files"})[1]["id"]
            file = {"name": "a.txt", "url": f"http://{NAME}:{inside.getsockname()[1]}/a.txt"}
            statuses = set()
            threads = [
                threading.Thread(target=lambda: statuses.add(server.call(
                    "POST", f"/v1/spaces/{space}/content", {"changes": [{"operation": "insert_files", "files": [file]}]}, 90
                )[0]))
                for _ in range(CALLS)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        RESOLVER.write_text(before)
    expect(PRIVATE in asked and PUBLIC in asked, f"the name was asked for {len(asked)} times only")
    expect(not reached, f"{len(reached)} connections reached this machine")
    expect(statuses == {400}, f"the answers are {statuses}")
    yield f"{len(asked)} answers in turns {PUBLIC} and {PRIVATE}: {CALLS} uploads answer 400, none reached this machine"
