"""Small texts for the fuzzer: a random tree of nodes takes megabytes and minutes, and has tests of its own."""

import copy

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
                    "nodes": {"type": "array", "maxItems": 0},
                },
            },
        },
    },
}


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
        if isinstance(value.get("maxLength"), int):
            changed["maxLength"] = min(value["maxLength"], max(value.get("minLength", 0), 400))
        if isinstance(value.get("maxItems"), int):
            changed["maxItems"] = min(value["maxItems"], max(value.get("minItems", 0), 5))
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


PARAMETERS = {
    "organization": "organizationId",
    "team": "teamId",
    "space": "spaceId",
    "collection": "collectionId",
    "change-request": "changeRequestId",
    "comment": "commentId",
    "comment-reply": "commentReplyId",
    "review": "reviewId",
    "invite": "inviteId",
    "revision": "revisionId",
    "user": "userId",
}
# The newest ids of each kind that answers have shown.
known = {}
MOST = 5


@schemathesis.hook
def after_call(context, case, response):
    """Notes the ids of objects, so that not only links lead to them."""

    def note(value):
        if isinstance(value, list):
            for item in value:
                note(item)
        elif isinstance(value, dict):
            parameter = PARAMETERS.get(value.get("object"))
            if parameter is not None and isinstance(value.get("id"), str):
                ids = known.setdefault(parameter, [])
                if value["id"] not in ids:
                    ids.append(value["id"])
                    del ids[:-MOST]
            for item in value.values():
                note(item)

    if response.status_code in (200, 201) and "json" in response.headers.get("content-type", [""])[0]:
        note(response.json())


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Replaces most random ids by those of objects that exist."""
    for name, value in (path_parameters or {}).items():
        ids = known.get(name)
        chance = len(str(value))
        if ids and chance % 4 != 3:
            path_parameters[name] = ids[chance % len(ids)]
    return path_parameters
