"""Directories of Markdown to import: written here, the same every time, or a book that there is, repeated."""

import itertools
import os
import random
import shutil
import struct
import zlib
from pathlib import Path

# A part has a first page and nine chapters, each with a first page and ten more.
PART, CHAPTER = 100, 11

FREQUENT = (
    "the of and to in is for it as with on this are be from or an at that which when each before after only until "
    "while its has can must may not one two all more than into then where if every between without"
).split()
STEMS = (
    "valve sensor gripper motor cable pump filter bearing shaft spring gauge relay switch nozzle hinge clamp frame "
    "panel rotor piston lever pulley gasket flange coupling conveyor hopper feeder crane winch boiler burner chimney "
    "duct damper cooler heater tank vessel column mixer press roller cutter drill lathe anvil furnace ladle mould "
    "kiln turbine inverter battery charger fuse breaker meter probe beacon antenna router gateway bridge module "
    "socket adapter housing bracket rail carriage spindle chuck collet vise jig fixture template pallet crate drum"
).split()
ENDINGS = ["", "s", "ed", "ing", "less", "wise", "like", "ward", "able", "er"]
BEGINNINGS = ["", "pre", "re", "sub", "inter", "over", "under", "counter"]
VERBS = ["Aligning", "Balancing", "Checking", "Cleaning", "Fitting", "Greasing", "Mounting", "Replacing", "Testing"]

# The first one is as frequent as the hundredth one is rare.
WORDS = FREQUENT + [a + b + c for a, c, b in itertools.product(BEGINNINGS, ENDINGS, STEMS)]
WEIGHTS = list(itertools.accumulate(1 / rank for rank in range(3, len(WORDS) + 3)))


def write(directory, pages):
    """A book of so many pages. What a page says does not depend on how many there are."""
    for number in range(pages):
        path = directory / path_of(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Page(number, pages).text())
        if number % PART == 0:
            (directory / picture_of(number)).write_bytes(picture(number))


def repeat(book, directory, pages):
    """Copies of a book, side by side, until there are so many files of Markdown, without its table of contents."""
    files = sorted(path for path in Path(book).rglob("*") if path.is_file() and path.name != "SUMMARY.md")
    if not any(path.suffix == ".md" for path in files):
        raise SystemExit(f"{book} has no Markdown")
    for copy in itertools.count(1):
        for path in files:
            if path.suffix == ".md":
                if pages == 0:
                    return
                pages -= 1
            target = directory / f"copy-{copy:03}" / path.relative_to(book)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def path_of(number):
    part, inside = divmod(number, PART)
    if inside == 0:
        return f"part-{part:03}/README.md"
    chapter, inside = divmod(inside - 1, CHAPTER)
    name = f"page-{inside:02}.md" if inside else "README.md"
    return f"part-{part:03}/chapter-{chapter + 1}/{name}"


def picture_of(number):
    return f"part-{number // PART:03}/figure.png"


def picture(number):
    """A gray PNG that no other page has."""
    size, row = 64, b"\0" + number.to_bytes(4, "big") * 16

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    end = chunk(b"IDAT", zlib.compress(row * size)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + end


class Page:
    def __init__(self, number, pages):
        self.number, self.pages = number, pages
        self.random = random.Random(number)

    def text(self):
        sections = "\n".join(self.section() for _ in range(self.random.randint(2, 5)))
        return f"# {self.title()}\n\n{self.paragraph()}\n{sections}"

    def title(self):
        return f"{self.random.choice(VERBS)} the {self.random.choice(STEMS)} {self.number}"

    def section(self):
        heading = " ".join(self.words(self.random.randint(1, 4))).capitalize()
        blocks = [self.paragraph, self.list, self.code, self.table, self.links, self.picture]
        chosen = self.random.choices(blocks, [6, 3, 2, 1, 3, 1], k=self.random.randint(2, 4))
        return f"## {heading}\n\n{self.paragraph()}\n" + "\n".join(block() for block in chosen)

    def words(self, count):
        return self.random.choices(WORDS, cum_weights=WEIGHTS, k=count)

    def sentence(self):
        words = self.words(self.random.randint(6, 16))
        at = self.random.randrange(len(words))
        words[at] = self.random.choice(["{}", "{}", "{},", "*{}*", "**{}**", "`{}`"]).format(words[at])
        return (" ".join(words)).rstrip(",").capitalize() + "."

    def paragraph(self):
        return " ".join(self.sentence() for _ in range(self.random.randint(2, 6))) + "\n"

    def list(self):
        return "".join(f"- {self.sentence()}\n" for _ in range(self.random.randint(3, 6)))

    def code(self):
        lines = (f"{first}.{second}({number});\n" for number, (first, second) in enumerate(self.pairs()))
        return "```c\n" + "".join(lines) + "```\n"

    def table(self):
        rows = (f"| {first} | {second} |\n" for first, second in self.pairs())
        return "| Part | Kind |\n| --- | --- |\n" + "".join(rows)

    def pairs(self):
        return [self.words(2) for _ in range(self.random.randint(3, 8))]

    def links(self):
        """To the page after this one and to any other."""
        targets = [(self.number + 1) % self.pages, self.random.randrange(1 << 30) % self.pages]
        links = " and ".join(f"[{self.words(1)[0]}]({self.way(path_of(target))})" for target in targets)
        return f"{self.sentence()} See {links}.\n"

    def picture(self):
        return f"![{self.sentence()}]({self.way(picture_of(self.number))})\n"

    def way(self, path):
        return os.path.relpath(path, os.path.dirname(path_of(self.number)))
