"""Comments on a space, with replies and reactions, put into a database that data.py has filled."""

import itertools
import sqlite3

import data

COMMENTS = 20_000
# Of every so many comments one has replies, or reactions.
WITH_REPLIES = 3
REPLIES = 2
WITH_REACTIONS = 2
REACTIONS = [("1f44d", 3), ("1f389", 1)]
# What ids are numbered from: apart from those of data.py and tree.py.
FIRST = 1_000_000

TEXT = (
    "Is the torque in step {} right for the long fingers as well? The drawing says **{} N·m**, and so does "
    "[the table](https://tidewater.example/torques)."
)
COMMENT = f"INSERT INTO comments VALUES ({', '.join('?' * 18)})"
# What the server keeps with each change, from the rows.
KEPT = [
    """INSERT INTO comment_counts (list_id, part_id, space_id, comments, open)
    SELECT list_id, zeroblob(16), space_id, count(*), count(*) FROM comments GROUP BY list_id, space_id""",
    """INSERT INTO comment_repliers (comment_id, user_id, replies, replied_at)
    SELECT parent_id, author_id, count(*), max(posted_at) FROM comments WHERE parent_id IS NOT NULL GROUP BY 1, 2""",
    """INSERT INTO comment_reaction_counts (comment_id, emoji, part_id, reactions)
    SELECT comment_id, emoji, zeroblob(16), count(*) FROM comment_reactions GROUP BY 1, 2""",
    "INSERT INTO commenters (content_id, user_id, space_id) SELECT DISTINCT space_id, author_id, space_id FROM comments",
]


def fill(database, space):
    """20,000 comments by the members in turn, and what others made of them."""
    with sqlite3.connect(database) as db:
        db.execute("PRAGMA foreign_keys = ON")
        (revision,) = db.execute("SELECT revision_id FROM spaces WHERE id = ?", (space,)).fetchone()
        authors = [user for (user,) in db.execute("SELECT user_id FROM members ORDER BY user_id")]
        numbers = itertools.count(FIRST)
        comments, replies, reactions = [], [], []
        for n in range(COMMENTS):
            comment = row(next(numbers), space, revision, authors, n, None)
            comments.append(comment)
            if n % WITH_REPLIES == 0:
                answers = range(n + 1, n + 1 + REPLIES)
                replies += [row(next(numbers), space, revision, authors, i, comment[0]) for i in answers]
            if n % WITH_REACTIONS == 0:
                reactions += reacted(comment[0], authors, n)
        db.executemany(COMMENT, comments + replies)
        db.executemany("INSERT INTO comment_reactions VALUES (?, ?, ?, ?, ?)", reactions)
        for statement in KEPT:
            db.execute(statement)
    db.close()


def row(number, space, revision, authors, n, parent):
    text = TEXT.format(n, n % 50)
    return (
        data.new_id(number), space, None, None, parent, parent or space, authors[n % len(authors)], text,
        data.START + number, None, revision, None, None, None, None, "open", None, None,
    )


def reacted(comment, authors, n):
    """By different people, at different times."""
    people = (authors[(n + i) % len(authors)] for i in itertools.count(2))
    times = itertools.count(data.START + FIRST + n)
    return [
        (comment, next(people), emoji, emoji, next(times)) for emoji, count in REACTIONS for _ in range(count)
    ]
