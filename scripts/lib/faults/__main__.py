"""scripts/faults after its build: `python3 scripts/lib/faults PROGRAM DIRECTORY [NAME…]`."""

import sys
from pathlib import Path

import files
import names
import postgres
import store

CHECKS = {"postgres": postgres.killed, "files": files.read_only, "store": store.failing, "names": names.rebinding}


def main():
    program, directory, *chosen = sys.argv[1:]
    unknown = [name for name in chosen if name not in CHECKS]
    if unknown:
        raise SystemExit(f"scripts/faults: there is no {', '.join(unknown)}, only {', '.join(CHECKS)}")
    for name in chosen or CHECKS:
        place = Path(directory) / name
        place.mkdir(mode=0o711)
        for line in CHECKS[name](program, place):
            print(f"{name:10}{line}", flush=True)


main()
