"""How long lists and counts take with 10, 1,000 and 100,000 rows of each kind, on SQLite and on PostgreSQL."""

import os
import sqlite3
import statistics
import subprocess
import time
import uuid
from contextlib import closing
from urllib.parse import urlsplit

import data
from bench import database, say
from client import Client
from processes import Server
from tables import print_table

ROWS = [10, 1_000, 100_000]
PAGE = 50
# At most so many answers for one figure, and about as many milliseconds.
ANSWERS = 21
FIGURE_MS = 1_500
# Rows at each end of every list, which exist before those between them. A cursor made then, after the rows of one end and
# some of the other one, leads to the last page of the whole list: nobody has to walk there.
EDGE = 60
CUT = 70
# Every other change request is open.
HALF = {"change requests of all spaces", "open change requests", "merged change requests"}
POSTGRES = os.environ.get("BENCH_POSTGRES_URL")
FILL_LIMIT = 600
MEMBER = "reader@tidewater.example"

# Ids of each kind begin with a number of their own.
FILL = """
INSERT INTO users SELECT make_id(1, i), 'member.' || i || '@tidewater.example', TRUE, 'Member ' || i, NULL,
    'member ' || i || ' member.' || i || '@tidewater.example', {start} + i, NULL FROM n;
INSERT INTO members (organization_id, user_id, role, disabled, sso, joined_at, last_seen_at, teams_count)
    SELECT {organization}, make_id(1, i), 'read', FALSE, FALSE, {start} + i, {start} + i, 1 FROM n;
INSERT INTO teams SELECT make_id(2, i), {organization}, 'Team ' || i, 'team ' || i, 0, {start} + i FROM n;
INSERT INTO team_members SELECT make_id(2, 1), make_id(1, i), {organization}, 'member', {start} + i FROM n;
INSERT INTO comments SELECT make_id(3, i), {space}, NULL, NULL, NULL, {space}, make_id(1, i), 'A comment', {start} + i, NULL,
    {revision}, NULL, NULL, NULL, NULL, 'open', NULL, NULL FROM n;
INSERT INTO comments SELECT make_id(4, i), {space}, NULL, NULL, make_id(3, 1), make_id(3, 1), make_id(1, i), 'A reply',
    {start} + i, NULL, {revision}, NULL, NULL, NULL, NULL, 'open', NULL, NULL FROM n;
INSERT INTO commenters SELECT {space}, make_id(1, i), {space} FROM n;
INSERT INTO comment_repliers SELECT make_id(3, 1), make_id(1, i), 1, {start} + i FROM n;
INSERT INTO comment_reactions SELECT make_id(3, 1), make_id(1, i), '1f44d', '1f44d', {start} + i FROM n;
INSERT INTO change_requests SELECT make_id(5, i), {space}, i, CASE WHEN i % 2 = 0 THEN 'open' ELSE 'merged' END,
    'Request ' || i, NULL, make_id(1, i), {start} + i, {start} + i, {revision}, {revision}, NULL, NULL,
    {organization} FROM n;
INSERT INTO revisions SELECT make_id(6, i), space_id, kind, snapshot, parents, author_id, change_request_id, merged_from,
    {start} + i FROM n JOIN revisions ON id = {revision};
INSERT INTO audit_events (id, organization_id, occurred_at, action, actor_type, actor_id, actor_label, target_type, target_id,
    target_label, request_id, payload) SELECT make_id(7, i), {organization}, {start} + i, action, actor_type, actor_id, actor_label,
    target_type, target_id, target_label, request_id, payload FROM n JOIN (SELECT * FROM audit_events
    WHERE organization_id = {organization} LIMIT 1) AS event ON TRUE;
INSERT INTO permissions SELECT make_id(8, i), {organization}, {space}, make_id(1, i), NULL, 'edit', {start} + i FROM n;
INSERT INTO api_tokens (id, user_id, label, hash, hint, created_at)
    SELECT make_id(9, i), {admin}, 'Token ' || i, make_hash(i), 'abcd', {start} + i FROM n;
INSERT INTO nodes SELECT make_id(10, i), {organization}, 'space', NULL, i, 'Space ' || i, 'read', 'read', {start} + i,
    {start} + i, NULL FROM n;
INSERT INTO nodes SELECT make_id(13, i), {organization}, 'space', NULL, i, 'Hidden ' || i, NULL, NULL, {start} + i,
    {start} + i, NULL FROM n;
INSERT INTO node_ancestors SELECT make_id(10, i), make_id(10, i), 0 FROM n;
INSERT INTO node_ancestors SELECT make_id(13, i), make_id(13, i), 0 FROM n;
INSERT INTO spaces (id, emoji, icon, visibility, edit_mode, language, merge_rules, revision_id, change_requests,
    change_requests_open, change_requests_draft)
    SELECT make_id(10, i), emoji, icon, visibility, edit_mode, language, merge_rules, revision_id, 0, 0, 0 FROM n JOIN spaces ON id = {space};
INSERT INTO spaces (id, emoji, icon, visibility, edit_mode, language, merge_rules, revision_id, change_requests,
    change_requests_open, change_requests_draft)
    SELECT make_id(13, i), emoji, icon, visibility, edit_mode, language, merge_rules, revision_id, 0, 0, 0 FROM n JOIN spaces ON id = {space};
INSERT INTO change_requests SELECT make_id(14, i), make_id(13, i), 1, 'open', 'Hidden request ' || i, NULL, make_id(1, 1),
    {start} + i, {start} + i, {revision}, {revision}, NULL, NULL, {organization} FROM n;
INSERT INTO sites (id, organization_id, plan, title, title_folded, visibility, basename, proxy, published, adaptive_content,
    in_agents_context, site_spaces_count, version, created_at, published_at, favicon, hostname) SELECT make_id(11, i), organization_id, plan, 'Site ' || i, 'site ' || i, visibility, 'site-' || i, NULL,
    FALSE, adaptive_content, in_agents_context, 0, 0, {start} + i, NULL, NULL, NULL FROM n JOIN sites ON id = {site};
INSERT INTO site_share_links SELECT make_id(12, i), {site}, 'Link ' || i, TRUE, {start} + i FROM n;
INSERT INTO organizations (id, title, hostname, type, use_case, community_type, default_role, sso, ai, invite_links, plan, merge_rules,
    logo, custom_hostname, members_count, created_at) SELECT make_id(15, i), 'Organization ' || i, NULL, type, use_case, community_type,
    default_role, sso, ai, invite_links, plan, merge_rules, NULL, NULL, 1, {start} + i FROM n JOIN organizations ON id = {organization};
INSERT INTO members (organization_id, user_id, role, disabled, sso, joined_at, last_seen_at, teams_count)
    SELECT make_id(15, i), {admin}, 'read', FALSE, FALSE, {start} + i, {start} + i, 0 FROM n;
INSERT INTO invitations (id, organization_id, role, node_id, user_id, invitee_id, sso, email, created_at, expires_at, created_by)
    SELECT make_id(16, i), {organization}, 'read', NULL, NULL, NULL, FALSE, NULL, {start} + i, 4102444800000, {admin} FROM n;
INSERT INTO audit_events (id, organization_id, occurred_at, action, actor_type, actor_id, actor_label, target_type, target_id,
    target_label, request_id, payload, user_id) SELECT make_id(17, i), NULL, {start} + i, action, actor_type, actor_id, actor_label,
    target_type, target_id, target_label, request_id, payload, {admin} FROM n JOIN (SELECT * FROM audit_events
    WHERE organization_id = {organization} LIMIT 1) AS event ON TRUE;
INSERT INTO glossary_entries (id, organization_id, translations, created_at, updated_at)
    SELECT make_id(18, i), {organization}, '{{"en": "Word", "de": "Wort"}}', {start} + i, {start} + i FROM n;
INSERT INTO site_redirects (id, site_id, draft, source, source_folded, destination, capture_wildcard, permanent, created_at, updated_at)
    SELECT make_id(19, i), {site}, FALSE, '/old/' || i, '/old/' || i, '{{"kind": "external", "url": "https://tidewater.example/"}}',
    FALSE, FALSE, {start} + i, {start} + i FROM n;
INSERT INTO openapi_specs (id, organization_id, slug, source_url, source_hash, source_number, source_tag, visibility, processing_state,
    last_version_id, last_processed_at, error_code, errors, next_fetch_at, created_at, updated_at)
    SELECT make_id(20, i), {organization}, 'spec-' || i, 'https://tidewater.example/' || i, NULL, 1, NULL, 'private', 'complete',
    NULL, {start} + i, NULL, '[]', NULL, {start} + i, {start} + i FROM n;
INSERT INTO openapi_spec_versions (id, spec_id, hash, created_at)
    SELECT make_id(21, i), make_id(20, 1), make_hash(i), {start} + i FROM n;
INSERT INTO contributors (change_request_id, user_id, action, count, updated_at)
    SELECT make_id(5, 1), make_id(1, i), 'edit', 1, {start} + i FROM n;
INSERT INTO requested_reviewers (change_request_id, user_id, requested_by, revision_id, created_at)
    SELECT make_id(5, 1), make_id(1, i), {admin}, {revision}, {start} + i FROM n;
INSERT INTO reviews (id, change_request_id, revision_id, reviewer_id, requested_by, status, created_at, updated_at)
    SELECT make_id(22, i), make_id(5, 1), {revision}, make_id(1, i), NULL, 'approved', {start} + i, {start} + i FROM n;
"""
# What is kept beside the rows, when all of them are there.
COUNT = """
UPDATE organizations SET members_count = {rows} + 1 WHERE id = {organization};
UPDATE teams SET members_count = {rows} WHERE id = make_id(2, 1);
INSERT INTO comment_counts VALUES ({space}, {nil}, {space}, {rows}, {rows});
INSERT INTO comment_counts VALUES (make_id(3, 1), {nil}, {space}, {rows}, {rows});
INSERT INTO comment_reaction_counts VALUES (make_id(3, 1), '1f44d', {nil}, {rows});
UPDATE spaces SET change_requests = {rows}, change_requests_open = {rows} / 2 WHERE id = {space};
INSERT INTO organization_space_counts VALUES ({organization}, '', {rows});
INSERT INTO organization_space_counts VALUES ({organization}, 'read', {rows})
    ON CONFLICT (organization_id, default_level) DO UPDATE SET spaces = organization_space_counts.spaces + {rows};
"""
MAKERS = """
CREATE FUNCTION make_id(kind int, i int) RETURNS uuid LANGUAGE sql AS
    $$ SELECT (lpad(to_hex(kind), 8, '0') || '0000700080000000' || lpad(to_hex(i), 8, '0'))::uuid $$;
CREATE FUNCTION make_hash(i int) RETURNS bytea LANGUAGE sql AS $$ SELECT sha256(i::text::bytea) $$;
"""


def lists(organization, space, site):
    """Lists with pages, by what they list."""
    org, content = f"/v1/orgs/{organization}", f"/v1/spaces/{space}"
    of_site, request = f"{org}/sites/{site}", f"{content}/change-requests/{text_id(5, 1)}"
    return {
        "members": f"{org}/members?",
        "members with a role": f"{org}/members?role=read&",
        "members by last visit": f"{org}/members?sort=lastSeenAt&",
        "members found": f"{org}/members?search=member&",
        "teams": f"{org}/teams?",
        "teams found": f"{org}/teams?title=team&",
        "members of a team": f"{org}/teams/{text_id(2, 1)}/members?",
        "spaces": f"{org}/spaces?",
        "change requests of all spaces": f"{org}/change-requests?",
        "audit events": f"{org}/audit-events?",
        "comments": f"{content}/comments?status=all&",
        "open comments": f"{content}/comments?status=open&",
        "comments by a person": f"{content}/comments?authors={text_id(1, 1)}&",
        "replies": f"{content}/comments/{text_id(3, 1)}/replies?",
        "commenters": f"{content}/commenters?",
        "open change requests": f"{content}/change-requests?status=open&",
        "merged change requests": f"{content}/change-requests?status=merged&",
        "revisions": f"{content}/revisions?",
        "people with a permission": f"{content}/permissions/users?",
        "everybody with access": f"{content}/permissions/aggregate?",
        "sites": f"{org}/sites?",
        "sites found": f"{org}/sites?title=site&",
        "share links": f"{of_site}/share-links?",
        "everybody who reaches a site": f"{of_site}/permissions/aggregate?",
        "tokens": "/v1/user/tokens?",
        "organizations of a user": "/v1/orgs?",
        "invite links": f"{org}/link-invites?",
        "audit events outside of organizations": "/v1/user/audit-events?",
        "words of a glossary": f"{org}/translations-glossary?",
        "redirects": f"{of_site}/redirects?",
        "redirects found": f"{of_site}/redirects?search=old&",
        "specifications": f"{org}/openapi?",
        "versions of a specification": f"{org}/openapi/spec-1/versions?",
        "contributors": f"{request}/contributors?",
        "requested reviewers": f"{request}/requested-reviewers?",
        "reviews": f"{request}/reviews?",
        "members not found": f"{org}/members?search=nobody&",
        "teams not found": f"{org}/teams?title=nobody&",
        "sites not found": f"{org}/sites?title=nobody&",
        "redirects not found": f"{of_site}/redirects?search=nobody&",
        "members with a rare role": f"{org}/members?role=admin&",
        "change requests by a person": f"{org}/change-requests?creator={text_id(1, 1)}&",
    } | rare(org, content, space)


def rare(org, content, space):
    """Lists with few or no rows beside many that they have to leave out."""
    person, other, team = text_id(1, 1), text_id(1, 2), text_id(2, 1)
    member, events, requests = f"{org}/members/{person}", f"{org}/audit-events", f"{content}/change-requests"
    return {
        "templates": f"{org}/templates?",
        "collections": f"{org}/collections?",
        "collections at the top": f"{org}/collections?nested=false&",
        "spaces with a word": f"{org}/search?query=words&",
        "teams with a permission": f"{content}/permissions/teams?",
        "people who administer a space": f"{content}/permissions/aggregate?role=admin&",
        "teams of a member": f"{member}/teams?",
        "spaces of a member": f"{member}/spaces?",
        "teams with an owner": f"{org}/teams?owner={person}&",
        "audit events of a time": f"{events}?from=2001-01-01T00:00:00Z&to=2002-01-01T00:00:00Z&",
        "audit events of an action": f"{events}?action=teams.removeTeamFromOrganizationById&",
        "audit events by a person": f"{events}?actor={person}&",
        "audit events about a team": f"{events}?target={team}&",
        "change requests somebody changed": f"{requests}?contributor={person}&",
        "change requests to review": f"{requests}?requestedReviewer={person}&",
        "change requests of a space by a person": f"{requests}?creator={person}&",
        "drafts of change requests": f"{requests}?status=draft&",
        "comments by two people": f"{content}/comments?authors={person}&authors={other}&",
        "open comments by a person": f"{content}/comments?status=open&authors={person}&",
        "resolved comments by a person": f"{content}/comments?status=resolved&authors={person}&",
        "sites with a space": f"{org}/sites?space={space}&",
        "sites, published": f"{org}/sites?published=true&",
        "sites, unpublished": f"{org}/sites?published=false&",
    }


def lists_of_member(organization):
    """Lists of a member who does not see every other space and change request."""
    org = f"/v1/orgs/{organization}"
    return {
        "spaces, half of them hidden": f"{org}/spaces?",
        "change requests, most of them hidden": f"{org}/change-requests?",
        "change requests of nobody": f"{org}/change-requests?creator={text_id(1, 2)}&",
    }


def objects(organization, space, site):
    return {
        "an organization": f"/v1/orgs/{organization}",
        "a space": f"/v1/spaces/{space}",
        "a site": f"/v1/orgs/{organization}/sites/{site}",
        "a comment with replies": f"/v1/spaces/{space}/comments/{text_id(3, 1)}",
    }


def raw_id(kind, number):
    return bytes.fromhex(f"{kind:08x}0000700080000000{number:08x}")


def text_id(kind, number):
    return data.text_of(raw_id(kind, number))


class Growth:
    def __init__(self, bench):
        self.bench = bench

    def lists(self):
        self.measure("SQLite", lambda rows: None)
        if POSTGRES:
            self.measure("PostgreSQL", new_database)
        else:
            print("\nPostgreSQL is left out: BENCH_POSTGRES_URL names no server")

    def measure(self, name, new_url):
        table = {}
        for rows in ROWS:
            for what, times in self.with_rows(name, rows, new_url(rows)).items():
                table.setdefault(what, []).extend(times)
        columns = {f"{page} of {rows:,}": ".1f" for rows in ROWS for page in ("first", "last")}
        print_table(f"{name}, ms per answer", columns, table.items())

    def with_rows(self, name, rows, url):
        place = self.bench.place(f"growth-{name}-{rows}")
        extra = {"BINDERY_DATABASE_URL": url} if url else {}
        with self.server(place, extra) as server, Client(server, self.bench.admin) as client:
            (organization,) = client.get("/v1/orgs").body["items"]
            admin = client.get("/v1/user").body["id"]
            space = client.post(f"/v1/orgs/{organization['id']}/spaces", {"title": "Long"}).body
            site = client.post(f"/v1/orgs/{organization['id']}/sites", {"title": "Manuals"}).body
        ids = {
            "organization": organization["id"], "space": space["id"], "revision": space["revision"], "admin": admin,
            "site": site["id"],
        }
        named = organization["id"], space["id"], site["id"]
        paths = lists(*named)
        self.bench.create(place, "user", MEMBER, **extra)
        self.bench.add_member(place, organization["id"], MEMBER, **extra)
        member = self.bench.create(place, "token", MEMBER, **extra)["token"]
        paths_of_member = lists_of_member(organization["id"])
        filling = Filling(database(place), url, rows, {name: data.id_of(text) for name, text in ids.items()})
        started = time.monotonic()
        filling.edges()
        with self.server(place, extra) as server, Client(server, self.bench.admin) as client:
            last = {what: last_page(client, what, path) for what, path in paths.items()}
            with Client(server, member) as client:
                last |= {what: last_page(client, what, path) for what, path in paths_of_member.items()}
        filling.rest()
        say(f"{rows:,} rows on {name}, filled in {time.monotonic() - started:.0f} s")
        with self.server(place, extra) as server, Client(server, self.bench.admin) as client:
            found = {}
            for what, path in paths.items():
                found[what] = [milliseconds(client, f"{path}limit={PAGE}"), milliseconds(client, last[what])]
            for what, path in objects(*named).items():
                found[what] = [milliseconds(client, path)] * 2
            with Client(server, member) as client:
                for what, path in paths_of_member.items():
                    found[what] = [milliseconds(client, f"{path}limit={PAGE}"), milliseconds(client, last[what])]
        return found

    def server(self, place, extra):
        settings = self.bench.settings(place) | extra
        log = self.bench.place("bindery.log")
        return Server("bindery", [self.bench.program, "serve"], log, BINDERY_LISTEN="{address}", **settings)


def milliseconds(client, path):
    """The median time of an answer."""
    times = [client.get(path).seconds * 1000]
    while len(times) < ANSWERS and sum(times) < FIGURE_MS:
        times.append(client.get(path).seconds * 1000)
    # The first answer fills caches.
    return statistics.median(times[1:] or times)


def last_page(client, what, path):
    """The address of the last page, asked for while only the edges exist."""
    cut = CUT // 2 if what in HALF else CUT
    following = client.get(f"{path}limit={cut}").body.get("next")
    return f"{path}limit={PAGE}" + (f"&page={following['page']}" if following else "")


def new_database(rows):
    name = f"growth_{rows}_{uuid.uuid4().hex[:8]}"
    psql(POSTGRES, f"CREATE DATABASE {name}")
    return urlsplit(POSTGRES)._replace(path=f"/{name}").geturl()


def psql(url, sql):
    subprocess.run(
        ["psql", "-q", "-v", "ON_ERROR_STOP=1", url], input=sql, text=True, check=True, timeout=FILL_LIMIT,
        stdout=subprocess.DEVNULL,
    )


class Filling:
    """Rows straight into the database, while no server uses it."""

    def __init__(self, path, url, rows, ids):
        self.path, self.url, self.rows = path, url, rows
        literal = (lambda id: f"'{uuid.UUID(bytes=id)}'") if url else (lambda id: f"x'{id.hex()}'")
        self.values = {name: literal(id) for name, id in ids.items()}
        self.values |= {"rows": rows, "start": data.START, "nil": literal(bytes(16))}

    def edges(self):
        if self.url:
            psql(self.url, MAKERS)
        self.fill(f"i <= {EDGE} OR i > {self.rows - EDGE}", FILL)

    def rest(self):
        self.fill(f"i > {EDGE} AND i <= {self.rows - EDGE}", FILL + COUNT)

    def fill(self, which, script):
        script = f"""
            CREATE TEMPORARY TABLE n (i integer PRIMARY KEY);
            INSERT INTO n WITH RECURSIVE all_of(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM all_of WHERE i < {self.rows})
                SELECT i FROM all_of WHERE {which};
            {script.format(**self.values)}
        """
        if self.url:
            # The rows refer to each other as they should: nobody has to look.
            psql(self.url, f"SET session_replication_role = replica; BEGIN; {script}; COMMIT; ANALYZE;")
            return
        with closing(sqlite3.connect(self.path)) as db:
            db.create_function("make_id", 2, raw_id, deterministic=True)
            db.create_function("make_hash", 1, lambda number: number.to_bytes(32, "big"), deterministic=True)
            for setting in ("foreign_keys = OFF", "synchronous = OFF", "cache_size = -500000", "temp_store = MEMORY"):
                db.execute(f"PRAGMA {setting}")
            db.executescript(f"BEGIN; {script}; COMMIT;")
