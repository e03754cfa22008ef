"""Small texts for the fuzzer: a random tree of nodes takes megabytes and minutes, and has tests of its own."""

import copy
import json
import os
import urllib.request

import schemathesis

REFERENCE = "#/components/schemas/"

SMALL_DOCUMENT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["object", "data", "nodes"],
    "properties": {
        "object": {"const": "document"},
        "data": {"type": "object", "maxProperties": 0},
        "nodes": {
            "type": "array",
            "maxItems": 2,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["object", "type", "nodes"],
                "properties": {
                    "object": {"const": "block"},
                    "type": {"const": "paragraph"},
                    "nodes": {"const": []},
                },
            },
        },
    },
}


@schemathesis.hook
def filter_case(context, case):
    """Leaves out invalid documents: what the small ones refuse is valid in others."""
    is_negative = case.meta is not None and case.meta.generation.mode.is_negative
    return not (is_negative and '"nodes"' in json.dumps(case.body, default=str))


@schemathesis.hook
def before_load_schema(context, schema):
    """Gives requests schemas of their own, in which documents are small."""
    schemas = schema["components"]["schemas"]
    copies = {}

    def of_request(value):
        if isinstance(value, list):
            return [of_request(item) for item in value]
        if not isinstance(value, dict):
            return value
        changed = {key: of_request(item) for key, item in value.items()}
        name = str(value.get("$ref", "")).removeprefix(REFERENCE)
        if "$ref" in value and name in schemas:
            changed["$ref"] = f"{REFERENCE}{copied(name)}"
        for name, target in (value.get("mapping") or {}).items() if isinstance(value.get("mapping"), dict) else ():
            changed["mapping"][name] = f"{REFERENCE}{copied(str(target).removeprefix(REFERENCE))}"
        return changed

    def copied(name):
        own = f"{name}InRequest"
        if own not in copies:
            copies[own] = None
            copies[own] = copy.deepcopy(SMALL_DOCUMENT) if name == "Document" else of_request(schemas[name])
        return own

    for item in schema["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and "requestBody" in operation:
                operation["requestBody"] = of_request(operation["requestBody"])
    schemas.update(copies)


# Objects whose id has another name in paths than the object has itself.
PARAMETERS = {
    "change-request-conflict": "conflictId",
    "change-request-review": "reviewId",
    "openapi-spec": "specSlug",
    "openapi-spec-version": "versionId",
}
# What members of bodies name.
MEMBERS = {
    "collection": "collectionId",
    "members": "userId",
    "page": "pageId",
    "pageId": "pageId",
    "parent": "collectionId",
    "sectionId": "siteSectionId",
    "site": "siteId",
    "siteSection": "siteSectionId",
    "siteSectionId": "siteSectionId",
    "siteSpace": "siteSpaceId",
    "siteSpaceId": "siteSpaceId",
    "siteSpaceIds": "siteSpaceId",
    "space": "spaceId",
    "spaceId": "spaceId",
    "spaces": "spaceId",
    "teams": "teamId",
    "users": "userId",
}
# Objects of one organization by the parameters of a path that leads to them, such as {siteId: …, shareLinkId: …}.
known = {}
MOST = 5
# Every id that an answer has shown.
seen = set()


def parameter_of(item):
    """The parameter and the id by which paths lead to an object of an answer."""
    kind = item.get("object")
    if kind is None and item.get("type") in ("document", "group", "link", "computed"):
        kind = "page"
    if not isinstance(kind, str):
        return None
    words = kind.replace("_", "-").split("-")
    name = PARAMETERS.get(kind, words[0] + "".join(word.title() for word in words[1:]) + "Id")
    value = item.get("slug") if name == "specSlug" else item.get("id")
    return (name, value) if isinstance(value, str) else None


def is_of_the_organization(place):
    """Whether a path stays within the organization whose objects are known."""
    return all(any(record.get(name) == value for record in records()) for name, value in place.items())


def records():
    return [record for kind in known.values() for record in kind]


def remember(record):
    kind = known.setdefault(frozenset(record), [])
    if record not in kind:
        kind.append(record)
        del kind[:-MOST]


def note(value, place):
    if isinstance(value, list):
        for item in value:
            note(item, place)
    elif isinstance(value, dict):
        found = parameter_of(value)
        if found is not None:
            name, own = found
            seen.add(own)
            if name != "organizationId" or not known.get(frozenset([name])):
                remember({name: own})
                if name not in place:
                    remember({**place, name: own})
                if "siteId" in place:
                    remember({"siteId": place["siteId"], name: own})
        for member in value.values():
            note(member, place)


def forget(place):
    gone = list(place.values())[-1:]
    for kind in known.values():
        kind[:] = [record for record in kind if not any(value in gone for value in record.values())]


@schemathesis.hook
def after_call(context, case, response):
    """Notes the ids of objects, so that not only links lead to them."""
    place = {name: value for name, value in (case.path_parameters or {}).items() if isinstance(value, str)}
    if response.status_code == 204 and case.method == "DELETE":
        forget(place)
    is_json = "json" in response.headers.get("content-type", [""])[0]
    if response.status_code in (200, 201) and is_json and place and is_of_the_organization(place):
        note(response.json(), place)


def pick(candidates, chance):
    return candidates[chance % len(candidates)] if candidates else None


# Objects that are there from the start, each with the path and the body of the call that creates it.
WORLD = [
    ("/v1/orgs", {"title": "Tidewater"}),
    ("/v1/orgs/{organizationId}/teams", {"title": "Writers"}),
    ("/v1/orgs/{organizationId}/collections", {"title": "Products"}),
    ("/v1/orgs/{organizationId}/spaces", {"title": "Gripper G4"}),
    ("/v1/orgs/{organizationId}/link-invites", {"role": "read"}),
    ("/v1/spaces/{spaceId}/comments", {"body": {"markdown": "Which torque?"}}),
    ("/v1/spaces/{spaceId}/comments/{commentId}/replies", {"body": {"markdown": "2.4 Nm."}}),
    ("/v1/spaces/{spaceId}/change-requests", {"subject": "Storing the fingers"}),
    (
        "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content",
        {"changes": [{"operation": "insert_page", "title": "Storing", "document": {"markdown": "In their box."}}]},
    ),
    ("/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments", {"body": {"markdown": "Clear now."}}),
    ("/v1/orgs/{organizationId}/sites", {"title": "Documentation"}),
    ("/v1/orgs/{organizationId}/sites/{siteId}/section-groups", {"title": "Products"}),
    ("/v1/orgs/{organizationId}/sites/{siteId}/sections", {"spaceId": "{spaceId}", "title": "Grippers"}),
    ("/v1/orgs/{organizationId}/sites/{siteId}/share-links", {"name": "For partners"}),
    ("/v1/orgs/{organizationId}/openapi", {"slug": "api", "source": {"text": "openapi: 3.1.0"}}),
]


def make_world(url):
    """Makes the first objects, so that not every call has to wait for a lucky one before it."""
    for path, body in WORLD:
        place = {}
        for name in [part.split("}")[0] for part in path.split("{")[1:]]:
            place[name] = known[frozenset([name])][-1][name]
        body = {name: known[frozenset(["spaceId"])][-1]["spaceId"] if value == "{spaceId}" else value for name, value in body.items()}
        request = urllib.request.Request(
            url.rstrip("/") + path.format(**place),
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {os.environ['FUZZ_TOKEN']}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as response:
            note(json.load(response), place)


def existing(path_parameters, chance):
    """The parameters of a path with ids of objects that exist and belong together, unless they come from an answer."""
    wanted = set(path_parameters)
    if all(value in seen for value in path_parameters.values()):
        return path_parameters
    whole = pick([record for record in records() if wanted <= set(record)], chance)
    if whole is not None:
        return {name: whole[name] for name in path_parameters}
    singles = {name: pick(known.get(frozenset([name]), []), chance) for name in wanted}
    return {name: singles[name][name] if singles[name] else value for name, value in path_parameters.items()}


def with_known_ids(value, chance):
    if isinstance(value, list):
        return [with_known_ids(item, chance) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {}
    for name, member in value.items():
        single = pick(known.get(frozenset([MEMBERS.get(name)]), []), chance)
        if single is not None and isinstance(member, str):
            member = single[MEMBERS[name]]
        elif single is not None and isinstance(member, list) and all(isinstance(item, str) for item in member):
            member = [single[MEMBERS[name]]][: len(member)]
        else:
            member = with_known_ids(member, chance)
        changed[name] = member
    return changed


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces random ids in valid calls by those of objects that exist."""
    if not known:
        make_world(case.operation.base_url)
    is_valid = case.meta is None or case.meta.generation.mode.is_positive
    chance = len(str(case.body)) + len(str(case.path_parameters))
    if not is_valid or chance % 8 == 7:
        return
    if case.path_parameters:
        case.path_parameters = existing(case.path_parameters, chance)
    if isinstance(case.body, dict):
        case.body = with_known_ids(case.body, chance)
