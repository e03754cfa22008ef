"""The data that is read: an organization with 1,000 members and 50 teams, put into a database that the server made."""

import base64
import sqlite3
import uuid

MEMBERS = 1_000
TEAMS = 50
TEAM_SIZE = 20

ROLES = ["read", "comment", "edit", "review", "create", None]
FIRST_NAMES = ["Aino", "Björn", "Chidi", "Dolores", "Emre", "Fatima", "Grzegorz", "Hanako", "Inés", "Jonas"]
LAST_NAMES = ["Abara", "Castillo", "Demir", "Eriksson", "Fontaine", "Kowalska", "Lindqvist", "Moreau", "Okafor", "Sato"]
START = 1_780_000_000_000
# A member with the role read, and in three teams.
READER = "member.102@tidewater.example"


def fill(database):
    """Adds to the organization of the first run, whose only member so far, the admin, stays out of the teams."""
    with sqlite3.connect(database) as db:
        db.execute("PRAGMA foreign_keys = ON")
        (organization,) = db.execute("SELECT id FROM organizations").fetchone()
        users = [new_id(n) for n in range(MEMBERS - 1)]
        teams = [new_id(MEMBERS + n) for n in range(TEAMS)]
        places = [(team, users[(n * 7 + i) % len(users)]) for n, team in enumerate(teams) for i in range(TEAM_SIZE)]
        counts = {}
        for _, user in places:
            counts[user] = counts.get(user, 0) + 1
        db.executemany("INSERT INTO users VALUES (?, ?, 1, ?, ?, ?, ?, NULL)", map(_user, users, range(len(users))))
        db.executemany(
            "INSERT INTO members (organization_id, user_id, role, disabled, sso, joined_at, last_seen_at, teams_count)"
            " VALUES (?, ?, ?, 0, 0, ?, ?, ?)",
            (
                (organization, user, ROLES[n % len(ROLES)], START + n * 60_000, _seen(n), counts.get(user, 0))
                for n, user in enumerate(users)
            ),
        )
        db.execute("UPDATE organizations SET members_count = ?", (MEMBERS,))
        db.execute(
            "INSERT INTO organization_email_domains (organization_id, domain, position, verified_at)"
            " VALUES (?, 'tidewater.example', 0, ?)",
            (organization, START),
        )
        db.executemany(
            "INSERT INTO teams VALUES (?, ?, ?, ?, ?, ?)",
            ((team, organization, f"Team {n}", f"team {n}", TEAM_SIZE, START + n) for n, team in enumerate(teams)),
        )
        db.executemany(
            "INSERT INTO team_members VALUES (?, ?, ?, 'member', ?)",
            ((team, user, organization, START) for team, user in places),
        )
    db.close()


def new_id(n):
    """Ids of version 7, as the server makes them: a time, then what tells them apart."""
    value = (START + n) << 80 | 7 << 76 | 2 << 62 | n
    return uuid.UUID(int=value).bytes


def id_of(text):
    """What an id of the API is in the database."""
    return base64.b32hexdecode(f"{text.upper()}======")


def text_of(id):
    """The other way around."""
    return base64.b32hexencode(id).decode().lower().rstrip("=")


def _user(user, n):
    name = f"{FIRST_NAMES[n % 10]} {LAST_NAMES[n // 10 % 10]}"
    email = f"member.{n}@tidewater.example"
    photo = f"https://photos.tidewater.example/{n}.png" if n % 2 else None
    return user, email, name, photo, f"{name.lower()}\n{email}", START + n


def _seen(n):
    return None if n % 3 else START + n * 61_000
