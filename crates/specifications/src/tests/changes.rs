//! What is told of two versions of a document.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{ChangeKind, Changes, Subject};

fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Gripper", "version": "1" },
        "security": [{ "token": [] }],
        "paths": {
            "/grips": {
                "get": {
                    "parameters": [{ "name": "force", "in": "query", "schema": { "type": "integer", "maximum": 80 } }],
                    "responses": { "200": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Grip" } } } } },
                },
                "post": {
                    "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/NewGrip" } } } },
                    "responses": { "201": { "$ref": "#/components/responses/Made" } },
                },
            },
            "/grips/{gripId}": { "delete": { "responses": { "204": { "description": "Gone." } } } },
        },
        "webhooks": {
            "done": { "post": { "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Grip" } } } } } },
        },
        "components": {
            "responses": { "Made": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Grip" } } } } },
            "schemas": {
                "Grip": {
                    "type": "object",
                    "required": ["id"],
                    "properties": { "id": { "type": "string" }, "state": { "$ref": "#/components/schemas/State" } },
                },
                "NewGrip": { "type": "object", "properties": { "force": { "type": "number" }, "note": { "type": "string" } } },
                "State": { "enum": ["open", "closed"] },
                "Unused": { "type": "string" },
            },
        },
    })
}

/// Each change as `kind subject`, with `!` if it breaks, and its details below, in the same way.
fn told(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut after = document();
    change(&mut after);
    lines(&Changes::between(&document(), &after))
}

fn lines(changes: &Changes) -> Vec<String> {
    assert!(changes.is_complete);
    let mark = |is_breaking: bool| if is_breaking { "!" } else { "" };
    let mut lines = Vec::new();
    for change in &changes.changes {
        let subject = match &change.subject {
            Subject::Operation { path, method } => format!("{method} {path}"),
            Subject::Webhook { name, method } => format!("webhook {method} {name}"),
            Subject::Schema { name } => format!("schema {name}"),
        };
        let kind = match change.kind {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
        };
        lines.push(format!("{}{kind} {subject}", mark(change.is_breaking)));
        for detail in &change.details {
            lines.push(format!("- {}{}", mark(detail.is_breaking), detail.message));
        }
    }
    lines
}

#[test]
fn the_same_document_changes_nothing() {
    assert_eq!(told(|_| {}), [""; 0]);
    // The name of a parameter of the path is not part of a request.
    let renamed = told(|after| {
        let paths = after["paths"].as_object_mut().unwrap();
        let item = paths.remove("/grips/{gripId}").unwrap();
        paths.insert("/grips/{id}".to_owned(), item);
    });
    assert_eq!(renamed, [""; 0]);
}

#[test]
fn operations_come_and_go() {
    let lines = told(|after| {
        after["paths"]["/grips"]["head"] = json!({ "responses": {} });
        after["paths"]["/grips/{gripId}"] = json!({});
        after["paths"]["/grips"]["get"]["deprecated"] = json!(true);
        after["paths"]["/grips"]["get"]["summary"] = json!("List");
        after["webhooks"] = json!({});
    });
    let expected = [
        "changed get /grips",
        "- The operation is deprecated.",
        "- Another summary.",
        "added head /grips",
        "!removed delete /grips/{gripId}",
        "!removed webhook post done",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn what_requests_have_to_be_breaks_when_it_is_narrowed() {
    let lines = told(|after| {
        let get = &mut after["paths"]["/grips"]["get"];
        get["parameters"][0]["required"] = json!(true);
        get["parameters"][0]["schema"]["maximum"] = json!(40);
        let more = json!({ "name": "Unit", "in": "header", "schema": { "type": "string" } });
        get["parameters"].as_array_mut().unwrap().push(more);
        after["paths"]["/grips"]["post"]["requestBody"]["required"] = json!(true);
        let new = &mut after["components"]["schemas"]["NewGrip"];
        new["required"] = json!(["force"]);
        new["properties"]["force"]["type"] = json!("integer");
        new["properties"]["speed"] = json!({ "type": "number" });
        new["properties"].as_object_mut().unwrap().remove("note");
    });
    let expected = [
        "!changed get /grips",
        "- There is another parameter, `unit` (header).",
        "- !The parameter `force` (query) is required.",
        "- !Parameter `force` (query): `maximum` was `80`, and is `40`.",
        "!changed post /grips",
        "- !The request body is required.",
        "- !The schema `NewGrip` changed.",
        "!changed schema NewGrip",
        "- !`force` is required.",
        "- !The property `note` was removed.",
        "- There is another property, `speed`.",
        "- !The type was `number`, and is `integer`.",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn what_responses_may_be_breaks_when_it_is_widened() {
    let lines = told(|after| {
        let schemas = &mut after["components"]["schemas"];
        schemas["Grip"]["required"] = json!([]);
        schemas["Grip"]["properties"]["id"]["maxLength"] = json!(9);
        schemas["State"]["enum"] = json!(["open", "closed", "stuck"]);
        schemas["Unused"]["type"] = json!(["string", "null"]);
    });
    let expected = [
        "!changed get /grips",
        "- !The schema `Grip` changed.",
        "- !The schema `State` changed.",
        "!changed post /grips",
        "- !The schema `Grip` changed.",
        "- !The schema `State` changed.",
        "!changed webhook post done",
        "- !The schema `Grip` changed.",
        "- !The schema `State` changed.",
        "!changed schema Grip",
        "- !`id` is not required any more.",
        "- `maxLength` was absent, and is `9`.",
        "!changed schema State",
        "- !There is another value, `\"stuck\"`.",
        // Nobody uses it.
        "changed schema Unused",
        "- The type was `string`, and is `null` or `string`.",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn bodies_are_compared_by_media_type_and_status() {
    let lines = told(|after| {
        let get = &mut after["paths"]["/grips"]["get"];
        let content = get["responses"]["200"]["content"]["application/json"].take();
        get["responses"]["200"]["content"] = json!({ "application/xml": content });
        get["responses"]["404"] = json!({});
        let delete = &mut after["paths"]["/grips/{gripId}"]["delete"];
        delete["responses"] = json!({ "202": {} });
    });
    let expected = [
        "!changed get /grips",
        "- Response 200: there is another media type, application/xml.",
        "- !Response 200: the media type application/json was removed.",
        "- There is another response, 404.",
        "!changed delete /grips/{gripId}",
        "- There is another response, 202.",
        "- !The response 204 was removed.",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn security_breaks_when_somebody_is_kept_out() {
    let security = |requirements: Value| told(|after| after["security"] = requirements);
    let breaking = |lines: &[String]| lines.iter().any(|line| line.starts_with('!'));
    assert!(!breaking(&security(json!([{ "token": [] }, { "key": [] }]))));
    assert!(!breaking(&security(json!([]))));
    assert!(!breaking(&security(json!([{ "token": [] }, {}]))));
    assert!(breaking(&security(json!([{ "key": [] }]))));
    assert!(breaking(&security(json!([{ "token": ["admin"] }]))));
    assert!(breaking(&security(json!([{ "token": [], "key": [] }]))));
}

#[test]
fn parts_of_all_of_and_references_are_taken_together() {
    let lines = told(|after| {
        let schemas = &mut after["components"]["schemas"];
        schemas["Base"] = json!({ "properties": { "id": { "type": "string" } }, "required": ["id"] });
        let rest = json!({ "properties": { "state": { "$ref": "#/components/schemas/State" } } });
        schemas["Grip"] = json!({ "type": "object", "allOf": [{ "$ref": "#/components/schemas/Base" }, rest] });
    });
    assert_eq!(lines, ["added schema Base"]);
}

#[test]
fn alternatives_are_known_by_their_names() {
    let between = |before: Value, after: Value| {
        let mut documents = [document(), document()];
        for (document, alternatives) in documents.iter_mut().zip([before, after]) {
            document["components"]["schemas"]["NewGrip"] = json!({ "oneOf": alternatives });
        }
        lines(&Changes::between(&documents[0], &documents[1]))
    };
    let named = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let (one, both) = (json!([named("State")]), json!([named("Unused"), named("State")]));
    let more = between(one.clone(), both.clone());
    assert_eq!(
        more[2..],
        ["changed schema NewGrip", "- There is another alternative `Unused`."]
    );
    let fewer = between(both, one);
    assert_eq!(
        fewer[2..],
        [
            "!changed schema NewGrip",
            "- !The alternative `Unused` was removed or changed."
        ]
    );
}

#[test]
fn circles_and_deep_schemas_end() {
    let schema = |leaf: &str| {
        let mut deep = json!({ "type": leaf });
        for _ in 0..90 {
            deep = json!({ "properties": { "a": deep }, "items": { "$ref": "#/components/schemas/Circle" } });
        }
        json!({
            "paths": { "/a": { "get": { "responses": { "200": { "content": { "a/b": { "schema": { "$ref": "#/components/schemas/Circle" } } } } } } } },
            "components": { "schemas": { "Circle": { "allOf": [{ "$ref": "#/components/schemas/Circle" }, deep] }, "Other": { "$ref": "#/components/schemas/Circle" } } },
        })
    };
    let changes = Changes::between(&schema("string"), &schema("number"));
    assert!(changes.is_complete);
}

#[test]
fn there_is_a_limit() {
    let many = |count: usize| {
        let paths: serde_json::Map<_, _> = (0..count)
            .map(|number| (format!("/{number}"), json!({ "get": { "responses": {} } })))
            .collect();
        json!({ "paths": paths })
    };
    let changes = Changes::between(&many(0), &many(1000));
    assert!(changes.is_complete && changes.changes.len() == 1000);
    let changes = Changes::between(&many(0), &many(1001));
    assert!(!changes.is_complete && changes.changes.len() == 1000 && !changes.is_breaking());
}

proptest! {
    /// A document with any values in places that have meaning.
    #[test]
    fn nothing_makes_it_panic(parts in prop::collection::vec((0_usize..8, any_value()), 1..6)) {
        let mut after = document();
        for (place, value) in parts {
            let pointer = [
                "/paths", "/paths/~1grips/get", "/paths/~1grips/get/parameters/0", "/components/schemas/Grip", "/components/schemas",
                "/components/responses/Made", "/security", "/paths/~1grips/post/requestBody",
            ][place];
            if let Some(found) = after.pointer_mut(pointer) {
                *found = value;
            }
        }
        let there = Changes::between(&document(), &after);
        let back = Changes::between(&after, &document());
        prop_assert!(there.is_complete && back.is_complete);
        prop_assert_eq!(Changes::between(&after, &after).changes.len(), 0);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let names = [
        "type",
        "properties",
        "$ref",
        "allOf",
        "oneOf",
        "items",
        "enum",
        "required",
        "schema",
        "get",
        "in",
        "name",
        "content",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::sample::select(vec![
            "string",
            "query",
            "#/components/schemas/Grip",
            "#",
            "#/paths/%ff",
            "a{b}c{"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(names.to_vec()), inner, 0..4).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}
