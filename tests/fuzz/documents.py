"""Small documents for the fuzzer: a random tree of nodes takes megabytes and minutes, and has tests of its own."""

import copy
import json

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


def are_small(contract):
    """Gives requests schemas of their own, in which documents are small."""
    schemas = contract["components"]["schemas"]
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
        mapping = value.get("mapping")
        if isinstance(mapping, dict):
            names = {key: copied(str(target).removeprefix(REFERENCE)) for key, target in mapping.items()}
            changed["mapping"] = {key: f"{REFERENCE}{name}" for key, name in names.items()}
        return changed

    def copied(name):
        own = f"{name}InRequest"
        if own not in copies:
            copies[own] = None
            copies[own] = copy.deepcopy(SMALL_DOCUMENT) if name == "Document" else of_request(schemas[name])
        return own

    for item in contract["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and "requestBody" in operation:
                operation["requestBody"] = of_request(operation["requestBody"])
    schemas.update(copies)


def is_one(body):
    return '"nodes"' in json.dumps(body, default=str)
