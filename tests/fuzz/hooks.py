"""Hooks of the fuzzer: small documents, calls among objects that exist, and a report of what was called."""

import atexit
import json
import os
import pathlib

import schemathesis
from schemathesis.generation.meta import TestPhase

import documents
import world

# The statuses of each operation.
statuses = {}
# What these are called for is not what it was: merged, or of another organization.
ENDS = ("mergeChangeRequest", "transferSpace", "transferCollection")


@schemathesis.hook
def before_load_schema(context, schema):
    documents.are_small(schema)


@schemathesis.hook
def filter_case(context, case):
    """Leaves out invalid documents: what the small ones refuse is valid in others."""
    is_negative = case.meta is not None and case.meta.generation.mode.is_negative
    return not (is_negative and documents.is_one(case.body))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces random ids in valid calls by those of objects that exist."""
    is_valid = case.meta is None or case.meta.generation.mode.is_positive
    is_example = case.meta is not None and case.meta.phase.name == TestPhase.EXAMPLES
    chance = len(str(case.body)) + len(str(case.path_parameters))
    if not is_valid or (chance % 8 == 7 and not is_example):
        return
    if is_example:
        chance = 0
        only_what_is_required(case)
    # Where a link leads is where it should.
    is_linked = not is_example and all(isinstance(value, str) and value in world.seen for value in (case.path_parameters or {}).values())
    if case.path_parameters and not is_linked:
        case.path_parameters = world.parameters_for(name_of(case), case.path_parameters, chance)
    if isinstance(case.body, dict):
        case.body = world.with_known_ids(case.body, case.path_parameters or {}, chance)
    address = world.address_for(name_of(case), chance)
    for values in (case.query, case.body):
        if address is not None and isinstance(values, dict) and "url" in values:
            values["url"] = address


def only_what_is_required(case):
    """Examples of cursors, keys and tags are those of other objects."""
    required = {parameter.name for parameter in case.operation.query if parameter.is_required}
    case.query = {name: value for name, value in (case.query or {}).items() if name in required}
    for name in ("If-Match", "Idempotency-Key"):
        case.headers.pop(name, None)


def name_of(case):
    return case.operation.definition.raw["operationId"]


@schemathesis.hook
def after_call(context, case, response):
    """Notes the ids of objects, so that not only links lead to them."""
    name = name_of(case)
    statuses.setdefault(name, []).append(response.status_code)
    place = {name: value for name, value in (case.path_parameters or {}).items() if isinstance(value, str)}
    is_json = "json" in response.headers.get("content-type", [""])[0]
    if response.status_code in (200, 201) and is_json and place and world.is_of_the_organization(place):
        world.note(response.json(), place)
    is_gone = response.status_code == 404 or (response.status_code == 204 and case.method == "DELETE")
    if is_gone or name in ENDS and response.status_code == 200:
        # A space or a site is still there without its installation.
        own = {name: value for name, value in place.items() if "integrationName" not in place or name not in ("spaceId", "siteId")}
        world.forget(own)


@atexit.register
def report():
    pathlib.Path(os.environ["FUZZ_REPORT"]).write_text(json.dumps(statuses))
