"""What is asked of the servers."""

import json

import tree
from load import Scenario

PAGE = 50


def read(server, path, token):
    status, body = server.get(path, token)
    if status != 200:
        raise SystemExit(f"{server.name} answers {status} to {path}")
    return json.loads(body)


def foundation(server, admin, organization):
    """Those that the peer answers too, and all."""
    members = f"{organization}/members?limit={PAGE}"
    teams = [team["id"] for team in read(server, f"{organization}/teams?limit=1000", admin)["items"]]
    titles = ['{"title":"Field manuals"}', '{"title":"Service bulletins"}']
    shared = [
        Scenario.reading("read an organization", admin, [organization]),
        Scenario.reading("list 50 members", admin, [members]),
    ]
    return shared, [
        Scenario.reading("getApiInformation", admin, ["/v1/"]),
        *shared,
        Scenario.reading("list 50 members, deep cursor", admin, pages(server, members, admin)[-1:]),
        Scenario(
            "patch a team", admin,
            [f"PATCH {organization}/teams/{team} {title}" for title in titles for team in teams],
        ),
        Scenario.reading("a 404 with a token", admin, [f"{organization}/teams/{'0' * 26}"], status=404),
    ]


def everybody(admin, organization):
    """Not measured: the first page may hold nobody who was given anything."""
    return Scenario.reading("list all members", admin, [f"{organization}/members?limit=1000"])


def spaces(server, admin, member, organization, siblings):
    seen = read(server, f"{organization}/spaces?limit=1000", member)["items"]
    seen = [f"/v1/spaces/{space['id']}" for space in seen]
    shared = [
        Scenario.reading("get a space", admin, seen),
        Scenario.reading("list 50 spaces", admin, [f"{organization}/spaces?limit={PAGE}"]),
        # Those who joined first have permissions.
        Scenario.reading("list 50 members with grants", admin, [f"{organization}/members?limit={PAGE}&order=asc"]),
    ]
    return shared, [
        *shared,
        Scenario.reading("get a space as a member", member, seen),
        list_of_spaces("list all spaces, 50 a page", server, admin, organization, tree.SPACES),
        list_of_spaces("… as a member", server, member, organization, tree.SEEN),
        moves(server, admin, siblings),
    ]



def list_of_spaces(name, server, token, organization, count):
    """All pages in turn."""
    first = f"{organization}/spaces?limit={PAGE}"
    found = read(server, first, token)["count"]
    if found != count:
        raise SystemExit(f"{server.name}, {name}: {found} instead of {count}")
    return Scenario.reading(name, token, pages(server, first, token))


def moves(server, admin, organization):
    """Every space is put behind another one, later in front of a third one, and is rarely there already."""
    ids = [space["id"] for space in read(server, f"{organization}/spaces?limit=1000", admin)["items"]]
    requests = []
    for side, distance in [("after", len(ids) // 2), ("before", len(ids) // 4)]:
        for n, space in enumerate(ids):
            neighbour = {"type": "space", "space": ids[(n + distance) % len(ids)]}
            body = json.dumps({"position": {side: neighbour}})
            requests.append(f"POST /v1/spaces/{space}/move {body}")
    return Scenario("move a space among 1,000", admin, requests, tolerated=409)


def pages(server, first, token):
    """The paths of all pages of a list."""
    paths = [first]
    while following := read(server, paths[-1], token).get("next"):
        paths.append(f"{first}&page={following['page']}")
    return paths
