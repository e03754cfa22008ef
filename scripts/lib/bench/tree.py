"""The spaces that are read and moved, put into a database that data.py has filled."""

import itertools
import sqlite3

import data

SPACES = 1_000
SIBLINGS = "Siblings"

# What lets the reader see a space: a default level, a permission on a collection above, one on the space, one of a team
# on the space, or nothing. In turn, so that pages are alike.
REASONS = ["default", "above"] * 10 + ["user", "team", None, None, None]
SEEN = SPACES - SPACES * REASONS.count(None) // len(REASONS)
# The same of groups of collections. A space that is seen for another reason is in a group that is not seen.
GROUPS = ["default", "above", "default", "above", None]
GROUP_SIZE = 10

# Between positions, as the server leaves it.
ROOM = 1 << 32
MERGE_RULES = '{"type":"inherit"}'
# The server keeps these numbers with each change.
KEEP_COUNTS = """
    INSERT OR REPLACE INTO organization_space_counts (organization_id, default_level, spaces)
    SELECT organization_id, coalesce(effective_default, ''), count(*) FROM nodes
    WHERE kind = 'space' AND deleted_at IS NULL GROUP BY 1, 2"""
# What ids are numbered from: apart from those of data.py and from each other.
FIRST_OF_TREE = 10_000
FIRST_OF_SIBLINGS = 100_000


class Tree:
    """The rows of an organization's spaces and collections."""

    def __init__(self, organization, first):
        self.organization = organization
        self.numbers = itertools.count(first)
        self.nodes, self.spaces, self.collections = [], [], []
        # Each with itself, its parent, and so on to the top.
        self.lines = {}

    def new_id(self):
        return data.new_id(next(self.numbers))

    def add_collection(self, parent, default):
        """At the top level with this default level, below with that of its parent."""
        collection = self._add("collection", parent, "inherit" if parent else default, default)
        self.collections.append((collection, None))
        return collection

    def add_space(self, parent, default):
        space = self._add("space", parent, "inherit", default)
        visibility = "in-collection" if parent else "private"
        self.spaces.append((space, visibility, "live", MERGE_RULES, self.new_id()))
        return space

    def _add(self, kind, parent, own, effective):
        number = next(self.numbers)
        node, time = data.new_id(number), data.START + number
        title = f"{kind.capitalize()} {number}"
        self.nodes.append(
            (node, self.organization, kind, parent, number * ROOM, title, own, effective, time, time, None)
        )
        self.lines[node] = [node, *self.lines.get(parent, [])]
        return node

    def insert(self, db):
        ancestors = ((node, above, depth) for node, line in self.lines.items() for depth, above in enumerate(line))
        _insert(db, "nodes", self.nodes)
        _insert(db, "node_ancestors", ancestors)
        _insert(db, "collections", self.collections)
        _insert(db, "spaces (id, visibility, edit_mode, merge_rules, revision_id)", self.spaces)
        db.execute(KEEP_COUNTS)


def fill(database, size):
    """1,000 spaces in `size` collections with `size` permissions. The same spaces are seen whatever the size."""
    with _opened(database) as db:
        (organization,) = db.execute("SELECT id FROM organizations").fetchone()
        tree = Tree(organization, FIRST_OF_TREE)
        groups = _groups(tree, size // GROUP_SIZE)
        spaces = _spaces(tree, groups)
        tree.insert(db)
        reader = Reader(db)
        given = itertools.chain(reader.deciding(groups, spaces), reader.further(groups, spaces))
        given = list(itertools.islice(given, size))
        assert len(given) == size
        _insert(db, "permissions", [(tree.new_id(), organization, *each, "edit", data.START) for each in given])
    db.close()


def fill_siblings(database):
    """As many spaces at the top level of an organization that is there for them."""
    with _opened(database) as db:
        (organization,) = db.execute("SELECT id FROM organizations WHERE title = ?", (SIBLINGS,)).fetchone()
        tree = Tree(organization, FIRST_OF_SIBLINGS)
        for _ in range(SPACES):
            tree.add_space(None, "inherit")
        tree.insert(db)
    db.close()


def _groups(tree, number):
    groups = {reason: [] for reason in GROUPS}
    for n in range(number):
        reason = GROUPS[n % len(GROUPS)]
        groups[reason].append(_group(tree, _default(reason)))
    return groups


def _group(tree, default):
    """A collection that holds three, of which two hold three each: as deep as that, however many groups there are."""
    group = []
    for n in range(GROUP_SIZE):
        group.append(tree.add_collection(group[(n - 1) // 3] if n else None, default))
    return group


def _spaces(tree, groups):
    """Spread over all groups and, in the same way for any number of them, over their levels."""
    spaces = {reason: [] for reason in REASONS}
    for n in range(SPACES):
        reason = REASONS[n % len(REASONS)]
        number = len(spaces[reason])
        suitable = groups.get(reason, groups[None])
        place = suitable[number * 37 % len(suitable)][number % GROUP_SIZE]
        spaces[reason].append(tree.add_space(place, _default(reason)))
    return spaces


def _default(reason):
    return "read" if reason == "default" else None


class Reader:
    """A member, and the permissions that there are: the node, and a user or a team."""

    def __init__(self, db):
        (self.user,) = db.execute("SELECT id FROM users WHERE email = ?", (data.READER,)).fetchone()
        self.teams = _column(db, "SELECT team_id FROM team_members WHERE user_id = ?", self.user)
        self.others = _column(db, "SELECT user_id FROM members WHERE user_id <> ?", self.user)

    def deciding(self, groups, spaces):
        """Without these the reader would see less."""
        yield from ((space, self.user, None) for space in spaces["user"])
        yield from ((space, None, self.teams[n % len(self.teams)]) for n, space in enumerate(spaces["team"]))
        yield from ((group[0], self.user, None) for group in groups["above"])

    def further(self, groups, spaces):
        """The reader's own, their teams' and other people's, which change nothing in what the reader sees."""
        every = [space for several in spaces.values() for space in several]
        below = [collection for group in groups["above"] for collection in group[1:]]
        for n, collection in enumerate(below):
            yield collection, self.user, None
            yield collection, None, self.teams[n % len(self.teams)]
            yield every[n % len(every)], self.others[n % len(self.others)], None


def _opened(database):
    db = sqlite3.connect(database)
    db.execute("PRAGMA foreign_keys = ON")
    return db


def _column(db, query, value):
    return [found for (found,) in db.execute(query, (value,))]


def _insert(db, table, rows):
    for row in rows:
        db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
