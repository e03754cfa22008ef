//! Pairs of schemas, and what the change from one to the other means where they are sent and received.

use serde_json::{Value, json};

use super::{compare, mark, verb, with_schemas};
use crate::{Changes, Impact, Subject};

/// Of a schema in requests and one in responses: the impact in both, and the places of its own changes.
fn told(before: Value, after: Value) -> (String, Vec<String>) {
    let mut impacts = Vec::new();
    let mut details = Vec::new();
    for (is_request, name) in [(true, "requests"), (false, "responses")] {
        let document = |schema: &Value| {
            let mut document = with_schemas(json!({
                "Thing": schema, "A": { "type": "object" }, "B": { "type": "object" },
                "Strict": { "type": "object", "required": ["a"], "properties": { "a": true } },
            }));
            let post = document["paths"]["/things"]["post"].as_object_mut().unwrap();
            match is_request {
                true => post.remove("responses"),
                false => post.remove("requestBody"),
            };
            document
        };
        let changes = compare(&document(&before), &document(&after));
        impacts.push(format!("{}{name}", mark(changes.impact)));
        let own = changes
            .changes
            .iter()
            .filter(|change| matches!(change.subject, Subject::Definition { .. }));
        let prefix = "/components/schemas/Thing";
        details = own
            .flat_map(|change| &change.details)
            .map(|detail| {
                let pointer = detail.pointer.strip_prefix(prefix).unwrap_or(&detail.pointer);
                format!("{} {:?} {pointer}", verb(detail.kind), detail.rule)
            })
            .collect();
    }
    (impacts.join(" "), details)
}

/// The impact on requests and responses of a change, and of the same change undone.
type Impacts = (&'static str, &'static str);

const NARROWS: Impacts = ("!requests responses", "requests !responses");
const DIFFERS: Impacts = ("!requests !responses", "!requests !responses");
const ADDED: Impacts = ("requests responses", "!requests !responses");
const REQUIRED: Impacts = ("!requests responses", "!requests !responses");
const REMOVED: Impacts = ("!requests !responses", "requests responses");
const REPLACED: Impacts = ("!requests !responses", "!requests responses");
const UNKNOWN: Impacts = ("?requests ?responses", "?requests ?responses");
const HARMLESS: Impacts = ("requests responses", "requests responses");

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Compares pairs of schemas. Each pair has its impacts, and the detail that is told among others; empty: no detail is told.
fn check<const N: usize>(pairs: [(Value, Value, Impacts, &str); N]) {
    for (before, after, (there, back), detail) in pairs {
        let label = format!("{before} -> {after}");
        let (impact, details) = told(before.clone(), after.clone());
        assert_eq!(impact, there, "{label}: {details:?}");
        assert!(
            detail.is_empty() == details.is_empty() && details.iter().any(|one| one == detail) != detail.is_empty(),
            "{label}: {details:?}"
        );
        let (impact, _) = told(after, before);
        assert_eq!(impact, back, "back, {label}");
    }
}

#[test]
fn type_and_enum_changes() {
    check([
        (json!({}), json!({ "type": "string" }), NARROWS, "added Type /type"),
        (
            json!({ "type": ["string", "null"] }),
            json!({ "type": "string" }),
            NARROWS,
            "changed Type /type",
        ),
        (
            json!({ "type": "number" }),
            json!({ "type": "integer" }),
            NARROWS,
            "changed Type /type",
        ),
        (
            json!({ "type": "string" }),
            json!({ "type": "integer" }),
            DIFFERS,
            "changed Type /type",
        ),
        (
            json!({ "enum": ["a", "b"] }),
            json!({ "enum": ["a"] }),
            NARROWS,
            "removed Enum /enum/1",
        ),
        (
            json!({ "enum": ["a", "b"] }),
            json!({ "const": "a" }),
            NARROWS,
            "removed Enum /enum/1",
        ),
        (json!({}), json!({ "const": null }), NARROWS, "added Enum /const"),
    ]);
}

#[test]
fn limit_changes() {
    check([
        (
            json!({ "maximum": 9 }),
            json!({ "maximum": 8 }),
            NARROWS,
            "changed Limit /maximum",
        ),
        (
            json!({ "maximum": 9007199254740993_u64 }),
            json!({ "maximum": 9007199254740992_u64 }),
            NARROWS,
            "changed Limit /maximum",
        ),
        (json!({}), json!({ "minLength": 1 }), NARROWS, "added Limit /minLength"),
        (json!({}), json!({ "minimum": 0 }), NARROWS, "added Limit /minimum"),
        (json!({}), json!({ "pattern": "a" }), NARROWS, "added Limit /pattern"),
        (
            json!({ "pattern": "b" }),
            json!({ "pattern": "a" }),
            DIFFERS,
            "changed Limit /pattern",
        ),
        (
            json!({ "format": "int64" }),
            json!({ "format": "int32" }),
            DIFFERS,
            "changed Limit /format",
        ),
    ]);
}

#[test]
fn applicator_changes() {
    check([
        (
            json!({}),
            json!({ "additionalProperties": false }),
            NARROWS,
            "added Limit /additionalProperties",
        ),
        (
            json!({ "additionalProperties": { "type": "number" } }),
            json!({ "additionalProperties": { "type": "integer" } }),
            NARROWS,
            "changed Type /additionalProperties/type",
        ),
        (
            json!({}),
            json!({ "patternProperties": { "a/~": {} } }),
            NARROWS,
            "added Limit /patternProperties/a~1~0",
        ),
        (
            json!({ "patternProperties": { "a/~": {} } }),
            json!({ "patternProperties": { "a/~": { "maxLength": 1 } } }),
            NARROWS,
            "added Limit /patternProperties/a~1~0/maxLength",
        ),
        (
            json!({}),
            json!({ "items": { "type": "string" } }),
            NARROWS,
            "added Limit /items",
        ),
        (
            json!({ "items": true }),
            json!({ "items": false }),
            NARROWS,
            "changed Limit /items",
        ),
        (
            json!({ "prefixItems": [true] }),
            json!({ "prefixItems": [true, true] }),
            DIFFERS,
            "changed Limit /prefixItems",
        ),
    ]);
}

#[test]
fn property_changes() {
    check([
        (
            json!({}),
            json!({ "required": ["a"] }),
            NARROWS,
            "added Required /required/0",
        ),
        (
            json!({ "dependentRequired": { "a": [] } }),
            json!({ "dependentRequired": { "a": ["b"] } }),
            NARROWS,
            "added Limit /dependentRequired/a/0",
        ),
        (
            json!({ "properties": { "a/~": {} } }),
            json!({ "properties": {} }),
            REMOVED,
            "removed Property /properties/a~1~0",
        ),
        (
            json!({ "properties": {} }),
            json!({ "properties": { "a": {} } }),
            ADDED,
            "added Property /properties/a",
        ),
        (
            json!({}),
            json!({ "properties": { "a": {} }, "required": ["a"] }),
            REQUIRED,
            "added Property /properties/a",
        ),
        (
            json!({ "allOf": [reference("Strict")], "minProperties": 1 }),
            json!({ "allOf": [reference("A")], "minProperties": 1 }),
            REPLACED,
            "removed Property /components/schemas/Strict/properties/a",
        ),
    ]);
}

#[test]
fn alternative_changes() {
    check([
        (
            json!({ "oneOf": [reference("A"), reference("B")] }),
            json!({ "oneOf": [reference("B")] }),
            NARROWS,
            "removed Alternative /oneOf/0",
        ),
        (
            json!({ "anyOf": [{ "maxLength": 2 }, { "type": "null" }] }),
            json!({ "anyOf": [{ "type": "null" }, { "maxLength": 1 }] }),
            NARROWS,
            "changed Limit /anyOf/1/maxLength",
        ),
        (
            json!({ "anyOf": [reference("A"), { "type": "null" }] }),
            reference("A"),
            NARROWS,
            "removed Alternative /anyOf/1",
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            json!({ "type": "string" }),
            NARROWS,
            "removed Alternative /anyOf/1",
        ),
    ]);
}

#[test]
fn unknown_keyword_changes_have_unknown_impact() {
    check([
        (
            json!({ "not": { "type": "null" } }),
            json!({ "not": { "type": "string" } }),
            UNKNOWN,
            "changed Other /not",
        ),
        (json!({ "x-a": 1 }), json!({ "x-a": 2 }), UNKNOWN, "changed Other /x-a"),
        (
            json!({ "newer": { "a": [1] } }),
            json!({ "newer": { "a": [2] } }),
            UNKNOWN,
            "changed Other /newer",
        ),
        (
            json!({ "discriminator": { "propertyName": "a" } }),
            json!({ "discriminator": { "propertyName": "b" } }),
            UNKNOWN,
            "changed Other /discriminator",
        ),
    ]);
}

#[test]
fn equivalent_schemas_and_annotations_are_compatible() {
    check([
        (
            json!({}),
            json!({ "minLength": 0, "uniqueItems": false, "additionalProperties": {} }),
            HARMLESS,
            "",
        ),
        (
            json!({}),
            json!({ "deprecated": true }),
            HARMLESS,
            "added Deprecated /deprecated",
        ),
        (
            json!({ "description": "a" }),
            json!({ "description": "b" }),
            HARMLESS,
            "changed Documentation /description",
        ),
        (
            json!({ "allOf": [{ "maximum": 9 }, { "maximum": 5 }] }),
            json!({ "maximum": 5 }),
            HARMLESS,
            "",
        ),
        (
            json!({ "required": ["a"], "properties": { "a": true }, "type": "object" }),
            json!({ "allOf": [reference("Strict")] }),
            HARMLESS,
            "",
        ),
    ]);
}

#[test]
fn properties_of_one_direction_matter_in_no_other() {
    let with = |more: Value| json!({ "type": "object", "properties": { "a": more } });
    let mut required = with(json!({ "readOnly": true }));
    required["required"] = json!(["a"]);
    assert_eq!(
        told(with(json!({ "readOnly": true })), required).0,
        "requests responses"
    );
    let limited = with(json!({ "readOnly": true, "maxLength": 1 }));
    assert_eq!(
        told(with(json!({ "readOnly": true })), limited.clone()).0,
        "requests responses"
    );
    assert_eq!(
        told(limited, with(json!({ "readOnly": true }))).0,
        "requests !responses"
    );
}

#[test]
fn references_to_a_schema_change_with_it() {
    let document = |kind: &str| {
        with_schemas(json!({
            "Thing": { "properties": { "next": { "$ref": "#/components/schemas/Thing" }, "part": { "items": { "$ref": "#/components/schemas/Part" } } } },
            "Part": { "allOf": [{ "not": { "$ref": "#/components/schemas/Hidden" } }], "type": kind },
            "Hidden": { "maximum": if kind == "object" { 1 } else { 2 } },
            "Unused": { "type": kind },
        }))
    };
    let changes = compare(&document("object"), &document("string"));
    let expected = [
        "!changed post /things",
        "- !changed Reference /paths/~1things/post/requestBody/content/application~1json/schema",
        "- !changed Reference /paths/~1things/post/responses/200/content/application~1json/schema",
        "!changed Definition",
    ];
    let lines = super::lines(&changes);
    assert_eq!(lines[..2], expected[..2], "{lines:#?}");
    assert!(lines.contains(&"!changed Schema Part".to_owned()), "{lines:#?}");
    assert!(lines.contains(&"?changed Schema Hidden".to_owned()), "{lines:#?}");
    assert!(lines.contains(&"changed Schema Unused".to_owned()), "{lines:#?}");
}

#[test]
fn names_of_schemas_are_no_part_of_a_contract() {
    let document = |name: &str| {
        let mut schemas =
            json!({ "Thing": { "properties": { "a": { "$ref": format!("#/components/schemas/{name}") } } } });
        schemas[name] =
            json!({ "type": "object", "properties": { "next": { "$ref": format!("#/components/schemas/{name}") } } });
        with_schemas(schemas)
    };
    let changes = compare(&document("Old"), &document("New"));
    assert_eq!(super::lines(&changes), ["added Schema New", "removed Schema Old"]);
    assert_eq!(changes.impact, Impact::Compatible);
}

#[test]
fn details_that_are_not_listed_are_judged() {
    let schema = |count: usize, last: &str| {
        let properties: serde_json::Map<_, _> = (0..count)
            .map(|number| (format!("p{number:03}"), json!({ "type": "string" })))
            .collect();
        let mut schema = json!({ "properties": properties });
        schema["properties"]["z"] = json!({ "type": last });
        with_schemas(json!({ "Thing": schema }))
    };
    let changes: Changes = compare(&schema(0, "string"), &schema(100, "integer"));
    let own = changes.changes.iter().find(|change| change.count == 101).unwrap();
    assert_eq!((own.impact, own.details.len()), (Impact::Breaking, 20));
    assert_eq!(own.details[0].impact, Impact::Breaking);
}
