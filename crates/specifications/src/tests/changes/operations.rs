//! Operations, webhooks, callbacks, and what is not a schema.

use serde_json::{Value, json};

use super::{compare, lines};
use crate::Impact;

fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Gripper", "version": "1" },
        "security": [{ "token": [] }],
        "paths": {
            "/grips": {
                "get": {
                    "parameters": [{ "$ref": "#/components/parameters/Force" }],
                    "responses": { "200": { "$ref": "#/components/responses/Grip" }, "404": {} },
                },
                "post": {
                    "requestBody": { "$ref": "#/components/requestBodies/Grip" },
                    "responses": { "201": {} },
                    "callbacks": { "done": { "{$url}": { "post": { "requestBody": { "content": { "a/b": { "schema": { "type": "string" } } } } } } } },
                },
            },
            "/grips/{gripId}": {
                "parameters": [{ "name": "gripId", "in": "path", "required": true, "schema": { "type": "string" } }],
                "delete": { "responses": { "204": {} } },
            },
            "/item": { "$ref": "#/components/pathItems/Item" },
        },
        "webhooks": { "done": { "post": { "requestBody": { "content": { "a/b": { "schema": { "type": "string" } } } } } } },
        "components": {
            "parameters": { "Force": { "name": "force", "in": "query", "schema": { "type": "integer", "maximum": 80 } } },
            "headers": { "Rate": { "required": true, "schema": { "type": "integer" } } },
            "requestBodies": { "Grip": { "content": { "a/b": { "schema": {} } } } },
            "responses": { "Grip": { "headers": { "X-Rate": { "$ref": "#/components/headers/Rate" } }, "content": { "a/b": { "schema": {} } } } },
            "pathItems": { "Item": { "get": { "responses": { "200": {} } } } },
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

/// What is told after the value at a pointer became another one; `null`: is gone.
fn told(pointer: &str, value: Value) -> Vec<String> {
    let mut after = document();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = after.pointer_mut(parent).unwrap();
    let name = name.replace("~1", "/");
    match (parent, value) {
        (Value::Object(members), Value::Null) => drop(members.remove(&name).unwrap()),
        (parent, value) => parent[name.as_str()] = value,
    }
    lines(&compare(&document(), &after))
}

#[test]
fn the_same_document_changes_nothing() {
    assert_eq!(lines(&compare(&document(), &document())), [""; 0]);
    let contract = openapi::document::contract();
    let changes = compare(contract, contract);
    assert_eq!((lines(&changes).len(), changes.impact), (0, Impact::Compatible));
}

#[test]
fn the_names_in_a_path_are_no_part_of_requests() {
    let mut after = document();
    let paths = after["paths"].as_object_mut().unwrap();
    let mut item = paths.remove("/grips/{gripId}").unwrap();
    item["parameters"][0]["name"] = json!("id");
    paths.insert("/grips/{id}".to_owned(), item);
    assert_eq!(lines(&compare(&document(), &after)), [""; 0]);
    after["paths"]["/grips/{id}"]["parameters"][0]["schema"]["maxLength"] = json!(1);
    let changes = compare(&document(), &after);
    let expected = [
        "!changed delete /grips/{id}",
        "- !added Limit /paths/~1grips~1{id}/parameters/0/schema/maxLength",
    ];
    assert_eq!(lines(&changes), expected);
    assert_eq!(changes.changes[0].former.as_deref(), Some("/grips/{gripId}"));
}

/// Each case: a pointer, the value there afterwards, and the line that is told among others; empty: nothing is told.
fn check<const N: usize>(cases: [(&str, Value, &str); N]) {
    for (pointer, value, expected) in cases {
        let lines = told(pointer, value);
        let is_told = expected.is_empty() == lines.is_empty()
            && (expected.is_empty() || lines.iter().any(|line| line == expected));
        assert!(is_told, "{pointer}, expected {expected:?}: {lines:#?}");
    }
}

#[test]
fn operation_and_document_changes() {
    check([
        ("/paths/~1grips/get", json!(null), "!removed get /grips"),
        ("/paths/~1grips/head", json!({}), "added head /grips"),
        ("/paths/~1item", json!(null), "!removed get /item"),
        ("/components/pathItems/Item/get", json!(null), "!removed get /item"),
        (
            "/components/pathItems/Item/get/deprecated",
            json!(true),
            "- added Deprecated /components/pathItems/Item/get/deprecated",
        ),
        (
            "/paths/~1grips/get/deprecated",
            json!(true),
            "- added Deprecated /paths/~1grips/get/deprecated",
        ),
        (
            "/paths/~1grips/get/summary",
            json!("a"),
            "- added Documentation /paths/~1grips/get/summary",
        ),
        (
            "/paths/~1grips/get/x-limit",
            json!(1),
            "- ?added Other /paths/~1grips/get/x-limit",
        ),
        (
            "/paths/~1grips/get/servers",
            json!([]),
            "- ?added Server /paths/~1grips/get/servers",
        ),
        ("/paths/~1grips/query", json!({}), "- ?added Other /paths/~1grips/query"),
        ("/paths/x-a", json!({}), "?changed document"),
        ("/info/version", json!("2"), "- changed Documentation /info"),
        (
            "/paths/~1grips/post/callbacks/done",
            json!(null),
            "- !removed Callback /paths/~1grips/post/callbacks/done",
        ),
        (
            "/components/securitySchemes/token/scheme",
            json!("basic"),
            "!changed SecurityScheme token",
        ),
        (
            "/components/securitySchemes/token/x-a",
            json!(1),
            "?changed SecurityScheme token",
        ),
        ("/components/newer", json!({}), "- ?added Other /components/newer"),
    ]);
}

#[test]
fn parameter_and_header_changes() {
    check([
        (
            "/paths/~1grips/get/parameters",
            json!(null),
            "- !removed Parameter /paths/~1grips/get/parameters/0",
        ),
        (
            "/components/parameters/Force/required",
            json!(true),
            "- !added Required /components/parameters/Force/required",
        ),
        (
            "/components/parameters/Force/schema/maximum",
            json!(9),
            "- !changed Limit /components/parameters/Force/schema/maximum",
        ),
        (
            "/components/parameters/Force/schema/maximum",
            json!(90),
            "- changed Limit /components/parameters/Force/schema/maximum",
        ),
        ("/components/parameters/Force/style", json!("form"), ""),
        (
            "/components/parameters/Force/explode",
            json!(false),
            "- !changed Parameter /components/parameters/Force",
        ),
        (
            "/components/parameters/Force/schema/default",
            json!(1),
            "- ?added Default /components/parameters/Force/schema/default",
        ),
        (
            "/components/headers/Rate/required",
            json!(null),
            "- !removed Required /components/headers/Rate/required",
        ),
        (
            "/components/headers/Rate/schema/type",
            json!("number"),
            "- !changed Type /components/headers/Rate/schema/type",
        ),
        (
            "/components/responses/Grip/headers",
            json!(null),
            "- !removed Header /components/responses/Grip/headers/X-Rate",
        ),
    ]);
}

#[test]
fn body_and_response_changes() {
    check([
        (
            "/components/responses/Grip/content/a~1b",
            json!(null),
            "- !removed MediaType /components/responses/Grip/content/a~1b",
        ),
        (
            "/components/responses/Grip/content/b",
            json!({}),
            "- added MediaType /components/responses/Grip/content/b",
        ),
        (
            "/components/responses/Grip/content/a~1b/schema",
            json!({ "maxLength": 1 }),
            "- added Limit /components/responses/Grip/content/a~1b/schema/maxLength",
        ),
        (
            "/components/requestBodies/Grip/content/a~1b/schema",
            json!({ "maxLength": 1 }),
            "- !added Limit /components/requestBodies/Grip/content/a~1b/schema/maxLength",
        ),
        (
            "/components/requestBodies/Grip/required",
            json!(true),
            "- !added Required /components/requestBodies/Grip/required",
        ),
        (
            "/paths/~1grips/post/requestBody",
            json!(null),
            "- !removed RequestBody /paths/~1grips/post/requestBody",
        ),
        (
            "/paths/~1grips/get/responses/200",
            json!(null),
            "- !removed Response /paths/~1grips/get/responses/200",
        ),
        (
            "/paths/~1grips/get/responses/404",
            json!(null),
            "- removed Response /paths/~1grips/get/responses/404",
        ),
        (
            "/paths/~1grips/get/responses/default",
            json!({}),
            "- added Response /paths/~1grips/get/responses/default",
        ),
    ]);
}

/// Clients receive the bodies of webhooks and callbacks.
#[test]
fn webhooks_and_callbacks_turn_directions_around() {
    for place in ["/webhooks/done", "/paths/~1grips/post/callbacks/done/{$url}"] {
        let at = |rest: &str| format!("{place}/post/requestBody/content/a~1b/schema{rest}");
        let narrowed = told(&at("/maxLength"), json!(1));
        assert!(
            narrowed.contains(&format!("- added Limit {}", at("/maxLength"))),
            "{narrowed:#?}"
        );
        let widened = told(&at("/type"), json!(["string", "null"]));
        assert!(
            widened.contains(&format!("- !changed Type {}", at("/type"))),
            "{widened:#?}"
        );
    }
}

#[test]
fn security_breaks_when_somebody_is_kept_out() {
    let breaks = |requirements: Value| told("/security", requirements).iter().any(|line| line.starts_with('!'));
    assert!(!breaks(json!([{ "token": [] }, { "key": [] }])));
    assert!(!breaks(json!([])));
    assert!(!breaks(json!([{ "token": [] }, {}])));
    assert!(breaks(json!([{ "key": [] }])));
    assert!(breaks(json!([{ "token": ["admin"] }])));
    assert!(breaks(json!([{ "token": [], "key": [] }])));
}
