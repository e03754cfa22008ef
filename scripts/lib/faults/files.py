"""The file system of the data directory turns read-only while the server runs, and writable again."""

import subprocess

from server import Server, expect, until


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def read_only(program, place):
    disk = place / "disk"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "size=256m", "tmpfs", str(disk))
    try:
        with Server(program, place, BINDERY_DATA_DIR=str(disk / "data")) as server:
            organization = server.organization()
            expect(server.team(organization, "before")[0] < 300, "a write fails before")
            # What is open for writing keeps a file system writable unless it is forced.
            done = subprocess.run(["mount", "-o", "remount,ro", str(disk)], capture_output=True)
            if done.returncode:
                yield from exhausted(server, organization, disk)
                return
            status, answer, seconds = server.team(organization, "during")
            expect(status == 503, f"a write answers {status} {answer}")
            yield f"read-only: a write answers {status} {answer['error']['type']} after {seconds:.2f} s"
            yield f"read-only: readiness {server.ready()}, a read {server.call('GET', f'/v1/orgs/{organization}')[0]}"
            mount("-o", "remount,rw", str(disk))
            until(lambda: server.team(organization, "after")[0] < 300)
            yield f"writable again: readiness {server.ready()}, writes succeed without a restart"
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def exhausted(server, organization, disk):
    """Where the file system cannot be forced: it is filled instead."""
    with open(disk / "ballast", "wb") as ballast:
        try:
            while True:
                ballast.write(bytes(1 << 20))
                ballast.flush()
        except OSError:
            pass
    status, answer, seconds = 0, None, 0
    for number in range(2000):
        status, answer, seconds = server.team(organization, f"during {number}")
        if status >= 500:
            break
    expect(status == 503, f"a write answers {status} {answer}")
    yield f"read-only is not possible here (the database is open); full instead: a write answers {status} after {seconds:.2f} s"
    # The last check of readiness counts for a while.
    until(lambda: server.ready() == 503)
    yield f"full: readiness {server.ready()}, a read {server.call('GET', f'/v1/orgs/{organization}')[0]}"
    (disk / "ballast").unlink()
    until(lambda: server.team(organization, "after")[0] < 300)
    until(lambda: server.ready() == 200)
    yield "space again: ready, and writes succeed without a restart"
