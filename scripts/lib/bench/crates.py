"""Sections on crates that are measured without the server."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[3]
LIMIT = 1_800


class Crates:
    def rich_text(self):
        """Parsing, rendering, rewriting of links and extraction, by the length of the text."""
        measure("rich-text")

    def expressions(self):
        measure("expressions")


def measure(crate):
    print(f"\ncrates/{crate}", flush=True)
    subprocess.run(["cargo", "bench", "--locked", "--quiet", "-p", crate], cwd=ROOT, check=True, timeout=LIMIT)
