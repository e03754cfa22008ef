"""The objects that the fuzzer knows. Its calls stay among them, because nearly all that random ids lead to is a 404."""

import base64
import functools
import json
import os
import pathlib
import subprocess
import time
import urllib.error
import urllib.request

BOOK = pathlib.Path(__file__).with_name("book")

# Objects whose id has another name in paths than the object has itself.
PARAMETERS = {
    "api-token": "tokenId",
    "change-request-conflict": "conflictId",
    "change-request-review": "reviewId",
    "conversation-issue": "issueId",
    "git-sync-installation": "gitInstallationId",
    "issues-cluster": "clusterId",
    "openapi-spec": "specSlug",
    "openapi-spec-version": "versionId",
    "webhook-delivery": "deliveryId",
}
# What objects that do not say what they are are known by.
BY_MEMBER = {"space_selection": ("installationId", "id"), "payload": ("eventId", "id")}
# The place of an installation is named by the space or site itself.
PLACES = {"space": "spaceId", "site": "siteId"}
# Objects of lists that do not say what they are.
PARAMETERS_OF_LISTS = {"files": "fileId", "reusableContents": "reusableContentId", "users": "userId"}
# What pages say of themselves.
PARAMETERS_OF_PAGES = {"documentId": "documentId", "path": "pagePath"}
# Addresses that objects have, by what they are called in OF_ADDRESS.
ADDRESSES = {"site": ("published", "publishedUrl"), "space": ("location", "contentUrl")}
# The operations that read an address, and of what.
OF_ADDRESS = {
    "getContentByUrl": "contentUrl",
    "getPublishedContentByUrl": "publishedUrl",
    "resolvePublishedContentByUrl": "publishedUrl",
}
# What members of bodies name.
MEMBERS = {
    "add": "userId",
    "collection": "collectionId",
    "members": "userId",
    "organization": "otherOrganizationId",
    "page": "pageId",
    "conversationsIssuesCluster": "clusterId",
    "pageId": "pageId",
    "parent": "collectionId",
    "remove": "userId",
    "reviewers": "userId",
    "sectionId": "siteSectionId",
    "site": "siteId",
    "siteId": "siteId",
    "siteSection": "siteSectionId",
    "siteSectionId": "siteSectionId",
    "siteSpace": "siteSpaceId",
    "siteSpaceId": "siteSpaceId",
    "siteSpaceIds": "siteSpaceId",
    "space": "spaceId",
    "spaceId": "spaceId",
    "spaces": "spaceId",
    "spec": "specSlug",
    "teams": "teamId",
    "users": "userId",
}
# Members of sites with the same name as one of spaces, the place among others, and what a computed page is made of.
OF_SITES = ("parent",)
LEFT_OUT = ("position", "into", "at", "value")
KEPT = ("props",)
# What the id of an object of a type is.
OF_TYPES = {
    "site-section": "siteSectionId",
    "site-section-group": "siteSectionGroupId",
    "site-space": "siteSpaceId",
}
# Operations whose parameter stands for another object than everywhere else.
GIT_INSTALLATION = {"installationId": "gitInstallationId"}
OTHERS = {
    "getGitSyncInstallationById": GIT_INSTALLATION,
    "restoreSpace": {"spaceId": "deletedSpaceId"},
    "uninstallGitSyncInstallation": GIT_INSTALLATION,
    "updateGitSyncInstallationById": GIT_INSTALLATION,
}
# What has no object of its own.
FIXED = {
    # A font needs an upload, which is no call of the contract.
    "fontId": "06dk5ko6i0m4q8u2c6g0k4o8sa",
    "emailDomain": "tidewater.example",
    "hostname": "manuals.tidewater.example",
    "subdomain": "tidewater",
    "visitorId": "visitor-1",
}

SPECIFICATION = json.dumps(
    {
        "openapi": "3.1.0",
        "info": {"title": "Gripper control", "version": "1.0.0"},
        "tags": [{"name": "robots"}],
        "paths": {
            "/robots/{robotId}": {
                "get": {
                    "operationId": "getRobot",
                    "tags": ["robots"],
                    "summary": "Get a robot",
                    "parameters": [{"name": "robotId", "in": "path", "required": True, "schema": {"type": "string"}}],
                    "responses": {"200": {"description": "The robot."}},
                }
            }
        },
    }
)
ORGANIZATION = "/v1/orgs/{organizationId}"
SPACE = "/v1/spaces/{spaceId}"
CHANGE_REQUEST = f"{SPACE}/change-requests/{{changeRequestId}}"
SITE = f"{ORGANIZATION}/sites/{{siteId}}"
CONVERSATION = {
    "id": "ticket-(count)",
    "parts": [{"type": "message", "role": "user", "body": "How do I change finger (count) of the gripper?"}],
}
A_FILE = {"name": "torque.txt", "contentType": "text/plain", "base64": base64.b64encode(b"2.4 Nm").decode()}


def edit(text):
    return {"changes": [{"operation": "update_page", "page": "{pageId}", "document": {"markdown": text}}]}


# The calls that make objects, or show those that are there, by the parameters of the paths that lead to them. A name in braces
# stands for an object that is known, or that was made by a call before it, and (count) for a new number.
INTEGRATION = {
    "title": "Tide gauge",
    "description": "Shows the water level.",
    "runtime": "v2",
    "scopes": ["space:content:read"],
    "script": """export default {
        async fetch() {
            return Response.json({ type: "element", element: { type: "block", children: [] }, state: {}, props: {} });
        },
    };""",
    "organization": "{organizationId}",
}
INSTALLATIONS = "/v1/integrations/{integrationName}/installations"

CALLS = {
    "organizationId userId": [
        ("POST", f"{ORGANIZATION}/invites", {"emails": ["reader(count)@tidewater.example"], "role": "read"})
    ],
    "tokenId": [("POST", "/v1/user/tokens", {"label": "Nightly export"})],
    "organizationId": [("POST", "/v1/orgs", {"title": "Tidewater"})],
    "organizationId teamId": [("PUT", f"{ORGANIZATION}/teams", {"title": "Writers"})],
    "organizationId auditEventId": [("GET", f"{ORGANIZATION}/audit-events", None)],
    "organizationId inviteId": [("POST", f"{ORGANIZATION}/link-invites", {"role": "read"})],
    "auditEventId": [("GET", "/v1/user/audit-events", None)],
    "otherOrganizationId": [("POST", "/v1/orgs", {"title": "Saltmarsh"})],
    "deletedSpaceId": [("POST", f"{ORGANIZATION}/spaces", {"title": "Gripper G3"}), ("DELETE", SPACE, None)],
    "publishedUrl": [
        ("POST", f"{SITE}/sections", {"spaceId": "{spaceId}", "title": "Grippers"}),
        ("POST", f"{SITE}/publish", None),
        ("GET", SITE, None),
    ],
    "contentUrl": [("GET", SPACE, None)],
    "collectionId": [("POST", f"{ORGANIZATION}/collections", {"title": "Products"})],
    "spaceId": [("POST", f"{ORGANIZATION}/spaces", {"title": "Gripper G4"}), ("IMPORT", "{spaceId}", None)],
    "gitInstallationId": [
        ("POST", f"{ORGANIZATION}/spaces", {"title": "Gripper G5"}),
        ("POST", "/v1/git/installations", {"target": {"type": "space", "spaceId": "{spaceId}"}}),
    ],
    "spaceId pageId": [("GET", f"{SPACE}/content/pages", None)],
    "spaceId fileId": [
        ("POST", f"{SPACE}/content", {"changes": [{"operation": "insert_files", "files": [A_FILE]}]}),
        ("GET", f"{SPACE}/content", None),
    ],
    "spaceId reusableContentId": [("IMPORT", "{spaceId}", None), ("GET", f"{SPACE}/content", None)],
    "spaceId revisionId": [("GET", f"{SPACE}/revisions", None)],
    "spaceId revisionId pageId": [("GET", f"{SPACE}/revisions/{{revisionId}}", None)],
    "spaceId commentId": [("POST", f"{SPACE}/comments", {"body": {"markdown": "Which torque?"}})],
    "spaceId commentId commentReplyId": [
        ("POST", f"{SPACE}/comments/{{commentId}}/replies", {"body": {"markdown": "2.4 Nm."}})
    ],
    "spaceId changeRequestId": [("POST", f"{SPACE}/change-requests", {"subject": "Storing the fingers"})],
    "spaceId changeRequestId pageId": [("GET", f"{CHANGE_REQUEST}/content", None)],
    "spaceId changeRequestId reviewId": [("POST", f"{CHANGE_REQUEST}/reviews", {"status": "changes-requested"})],
    "spaceId changeRequestId commentId": [
        ("POST", f"{CHANGE_REQUEST}/comments", {"body": {"markdown": "Clear now."}})
    ],
    "spaceId changeRequestId commentId commentReplyId": [
        ("POST", f"{CHANGE_REQUEST}/comments/{{commentId}}/replies", {"body": {"markdown": "Thank you."}})
    ],
    "spaceId changeRequestId conflictId": [
        ("GET", f"{SPACE}/content/pages", None),
        ("POST", f"{SPACE}/change-requests", {"subject": "Two answers"}),
        ("POST", f"{CHANGE_REQUEST}/content", edit("Tighten to 2.5 Nm.")),
        ("POST", f"{SPACE}/content", edit("Tighten to 2.6 Nm.")),
        ("POST", f"{CHANGE_REQUEST}/update", None),
        ("GET", f"{CHANGE_REQUEST}/conflicts", None),
    ],
    "organizationId siteId": [("POST", f"{ORGANIZATION}/sites", {"title": "Documentation"})],
    "organizationId siteId siteSectionId": [
        ("POST", f"{SITE}/sections", {"spaceId": "{spaceId}", "title": "Grippers"})
    ],
    "organizationId siteId siteSectionGroupId": [("POST", f"{SITE}/section-groups", {"title": "Products"})],
    "organizationId siteId siteSpaceId": [("GET", f"{SITE}/site-spaces", None)],
    "organizationId siteId siteRedirectId": [
        (
            "POST",
            f"{SITE}/redirects",
            {"source": "/old", "destination": {"kind": "external", "url": "https://tidewater.example/gripper"}},
        )
    ],
    "organizationId siteId siteMcpServerId": [
        ("POST", f"{SITE}/mcp-servers", {"name": "Orders", "url": "https://tidewater.example/mcp", "headers": {}})
    ],
    "organizationId siteId shareLinkId": [("POST", f"{SITE}/share-links", {"name": "For partners"})],
    "hostname": [
        ("PUT", "/v1/custom-hostnames/manuals.tidewater.example", {"target": {"type": "site", "site": "{siteId}"}})
    ],
    "organizationId specSlug": [
        ("PUT", f"{ORGANIZATION}/openapi/gripper-(count)", {"source": {"text": SPECIFICATION}}),
        ("UNTIL", f"{ORGANIZATION}/openapi/gripper-(count)", "lastVersion"),
    ],
    "organizationId specSlug versionId": [("GET", f"{ORGANIZATION}/openapi/{{specSlug}}/versions", None)],
    "integrationName": [("POST", "/v1/integrations/gauge-(count)", INTEGRATION)],
    "integrationName installationId": [("POST", f"{INSTALLATIONS}", {"organization": "{organizationId}"})],
    "integrationName installationId spaceId": [
        ("POST", f"{INSTALLATIONS}/{{installationId}}/spaces", {"space": "{spaceId}"})
    ],
    "integrationName installationId siteId": [
        ("POST", f"{INSTALLATIONS}/{{installationId}}/sites", {"siteId": "{siteId}"})
    ],
    "integrationName eventId": [("GET", "/v1/integrations/{integrationName}/events", None)],
    "organizationId webhookId": [
        (
            "POST",
            f"{ORGANIZATION}/webhooks",
            {"url": "https://tidewater.example/hooks", "eventTypes": ["space.content_updated"]},
        )
    ],
    "organizationId webhookId deliveryId": [("GET", f"{ORGANIZATION}/webhooks/{{webhookId}}/deliveries", None)],
    "organizationId conversationId": [
        ("POST", f"{ORGANIZATION}/conversations", CONVERSATION),
        ("GET", f"{ORGANIZATION}/conversations", None),
    ],
    # The jobs of the server make these.
    "organizationId issueId": [("GET", f"{ORGANIZATION}/conversations-issues", None)],
    "organizationId clusterId": [("GET", f"{ORGANIZATION}/conversations-clusters", None)],
    "organizationId importRunId": [
        (
            "POST",
            "/v1/org/{organizationId}/imports",
            {"source": {"type": "website", "url": "https://tidewater.example/manual"}, "target": {"space": "{spaceId}"}},
        ),
        ("GET", "/v1/org/{organizationId}/imports", None),
    ],
    "organizationId translationId": [
        (
            "POST",
            f"{ORGANIZATION}/translations",
            {"source": {"space": "{spaceId}", "language": "en"}, "language": "de"},
        )
    ],
    "organizationId glossaryEntryId": [
        (
            "PUT",
            f"{ORGANIZATION}/translations-glossary",
            {"operations": [{"type": "insert", "translations": {"en": "gripper", "de": "Greifer"}}]},
        ),
        ("GET", f"{ORGANIZATION}/translations-glossary", None),
    ],
}
CONTENT = ("pageId", "pagePath", "documentId", "fileId", "reusableContentId")

# Objects by the parameters of a path that leads to them, such as {siteId: …, shareLinkId: …}.
known = {}
MOST = 5
# Every id that an answer has shown.
seen = set()
# How often the calls for some parameters were made.
made = {}
MOST_MADE = 30


def parameter_of(item):
    """The parameter and the id by which paths lead to an object of an answer."""
    kind = item.get("object")
    if kind == "integration":
        return ("integrationName", item["name"]) if isinstance(item.get("name"), str) else None
    for member, (name, own) in BY_MEMBER.items():
        if member in item and isinstance(item.get(own), str):
            return name, item[own]
    for member, name in PLACES.items():
        if "installation" in item and isinstance(item.get(member), str):
            return name, item[member]
    if kind is None and item.get("type") in ("document", "group", "link", "computed"):
        kind = "page"
    if not isinstance(kind, str) or is_own(item) or (kind == "openapi-spec" and "lastVersion" not in item):
        return None
    words = kind.replace("_", "-").split("-")
    name = PARAMETERS.get(kind, words[0] + "".join(word.title() for word in words[1:]) + "Id")
    value = item.get("slug") if name == "specSlug" else item.get("id")
    return (name, value) if isinstance(value, str) else None


def is_own(item):
    """The token and the user of the fuzzer itself have to outlive the run with all that they may do."""
    if item.get("object") == "api-token":
        return os.environ["FUZZ_TOKEN"].endswith(str(item.get("hint")))
    return item.get("object") in ("user", "member") and item.get("id") == own_user()


@functools.cache
def own_user():
    return call("GET", "/v1/user", None)["id"]


def records():
    return [record for kind in known.values() for record in kind]


def is_of_the_organization(place):
    """Whether a path stays within the organization whose objects are known."""
    return all(any(record.get(name) == value for record in records()) for name, value in place.items())


def remember(record):
    kind = known.setdefault(frozenset(record), [])
    if record not in kind:
        kind.append(record)
        del kind[:-MOST]


def note(value, place):
    """Remembers the objects of an answer, whose path had the parameters `place`."""
    if isinstance(value, list):
        for item in value:
            note(item, place)
    elif isinstance(value, dict):
        found = parameter_of(value)
        if found is not None:
            note_object(*found, place)
        for kind, (member, name) in ADDRESSES.items():
            if value.get("object") == kind and isinstance(value.get("urls"), dict) and member in value["urls"]:
                remember({name: value["urls"][member]})
        if found is not None and found[0] == "pageId":
            for member, name in PARAMETERS_OF_PAGES.items():
                if isinstance(value.get(member), str):
                    note_object(name, value[member], place)
        for member, name in PARAMETERS_OF_LISTS.items():
            items = value.get(member)
            for item in items if isinstance(items, list) else ():
                own = item.get("id") if isinstance(item, dict) else item
                if isinstance(own, str) and own != own_user():
                    note_object(name, own, place)
        for member in value.values():
            note(member, place)


def note_object(name, own, place):
    seen.add(own)
    first = known.get(frozenset([name]))
    if name == "organizationId" and first and first[0][name] != own:
        name, place = "otherOrganizationId", {}
    if not place or name in ("spaceId", "collectionId"):
        remember({name: own})
    if name not in place:
        remember({**place, name: own})
    if "siteId" in place and "organizationId" in place:
        remember({"organizationId": place["organizationId"], "siteId": place["siteId"], name: own})


def forget(place):
    # No call deletes the organization: a 404 there is about what the body or the query names.
    gone = [value for name, value in list(place.items())[-1:] if name != "organizationId"]
    for kind in known.values():
        kind[:] = [record for record in kind if not any(value in gone for value in record.values())]


def pick(candidates, chance):
    return candidates[chance % len(candidates)] if candidates else None


def parameters_for(operation, names, chance):
    """Parameters of the path of an operation."""
    if operation in OTHERS:
        return {name: one(other, {}, chance) for name, other in OTHERS[operation].items()}
    return existing(names, chance)


def existing(names, chance=0):
    """Parameters of a path with the ids of objects that exist and belong together. Makes them if there are none."""
    names = list(names)
    if names == ["userId"]:
        return {"userId": own_user()}
    if not known.get(frozenset(names)):
        make(names)
    whole = pick(known.get(frozenset(names)), chance)
    if whole is not None:
        return dict(whole)
    place = {}
    for name in names:
        place[name] = one(name, place, chance)
    return place


def one(name, place, chance=0):
    """The id of one object, of the same place if there is one."""
    def others():
        return [record for record in records() if name in record and record[name] not in place.values()]

    candidates = others()
    if not candidates:
        for key in CALLS:
            if key.split()[-1] == name and make(key.split()):
                break
        candidates = others()
    near = [sum(record.get(key) == value for key, value in place.items()) for record in candidates]
    found = pick([record for record, shared in zip(candidates, near) if shared == max(near)], chance)
    return found[name] if found else FIXED.get(name)


def address_for(operation, chance):
    """An address that the operation can read, if it reads one."""
    name = OF_ADDRESS.get(operation)
    return one(name, {}, chance) if name else None


def make(names):
    """Makes the calls for the parameters `names`; answers whether there are any."""
    key = " ".join(names)
    if key not in CALLS and names[-1] in CONTENT:
        key = " ".join([*names[:-1], "pageId"])
    if key not in CALLS or made.get(key, 0) >= MOST_MADE:
        return False
    made[key] = made.get(key, 0) + 1
    place, number = {}, count()
    for method, path, body in CALLS[key]:
        wanted = [part.split("}")[0] for part in path.split("{")[1:]]
        missing = [name for name in wanted if name not in place]
        if missing:
            place.update(existing(wanted) if len(missing) == len(wanted) else {name: one(name, place) for name in missing})
        of_path = {name: place[name] for name in wanted}
        if method == "DELETE":
            forget(of_path)
            remember({f"deleted{wanted[-1][0].upper()}{wanted[-1][1:]}": place[wanted[-1]]})
        answer = call(method, path.format(**of_path).replace("(count)", number), filled(body, place))
        if answer is None and method == "GET":
            forget(of_path)
        note(answer, of_path)
        own = parameter_of(answer) if isinstance(answer, dict) else None
        if own is not None:
            place[own[0]] = own[1]
    return True


def filled(body, place):
    if isinstance(body, list):
        return [filled(item, place) for item in body]
    if isinstance(body, dict):
        return {name: filled(member, place) for name, member in body.items()}
    if isinstance(body, str) and body.startswith("{") and body.endswith("Id}"):
        name = body[1:-1]
        place.setdefault(name, one(name, place))
        return place[name]
    return body.replace("(count)", count()) if isinstance(body, str) else body


def count():
    """A number that no objects before have in their name: what was deleted is not made again."""
    return str(sum(made.values()))


def call(method, path, body):
    if method == "IMPORT":
        command = [os.environ["FUZZ_SERVER"], "import", str(BOOK), "--space", path]
        subprocess.run(command, env={**os.environ, "BINDERY_DATA_DIR": os.environ["FUZZ_DATA"]}, check=True, capture_output=True)
        return None
    if method == "UNTIL":
        for _ in range(100):
            answer = call("GET", path, None)
            if answer is None or body in answer:
                return answer
            time.sleep(0.1)
        return None
    request = urllib.request.Request(
        os.environ["FUZZ_URL"] + path,
        None if body is None else json.dumps(body).encode(),
        {"Authorization": f"Bearer {os.environ['FUZZ_TOKEN']}", "Content-Type": "application/json"},
        method=method,
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read() or b"null")
    except urllib.error.HTTPError as e:
        print(f"{method} {path}: {e.code} {e.read().decode()[:300]}")
        return None


def named_by(member, place):
    """What a member of a body names, if it names an object."""
    if member in OF_SITES and "siteId" in place:
        return None
    # Of integrations it is the owner, elsewhere the organization to which something is moved.
    if member == "organization" and "integrationName" in place:
        return "organizationId"
    return MEMBERS.get(member)


def with_known_ids(value, place, chance):
    """A body that names objects that exist."""
    if isinstance(value, list):
        return [with_known_ids(item, place, chance) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {}
    of_site = OF_TYPES.get(value.get("type")) if isinstance(value.get("id"), str) else None
    if of_site is not None:
        return {**value, "id": one(of_site, place, chance)}
    for name, member in value.items():
        if name in LEFT_OUT and chance % 2 == 0:
            continue
        named = named_by(name, place)
        found = one(named, place, chance) if named else None
        if found is not None and isinstance(member, str):
            member = found
        elif found is not None and isinstance(member, list) and all(isinstance(item, str) for item in member):
            member = [found][: len(member)]
        elif name == "memberships" and isinstance(member, dict) and member:
            # Before anybody was listed, no user is known.
            member = {one("userId", place, chance) or user: role for user, role in list(member.items())[:1]}
        elif name not in KEPT:
            member = with_known_ids(member, place, chance)
        changed[name] = member
    return changed
