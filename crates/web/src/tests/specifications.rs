use serde_json::json;

use crate::{render, words};

use super::{Space, parse};

const SCRIPT: &str = "<script>alert(1)</script>";

fn document() -> serde_json::Value {
    json!({
        "openapi": "3.1.0",
        "servers": [{ "url": "https://api.tidewater.example/v1/" }],
        "security": [{ "token": [] }],
        "paths": { "/tides/{id}": { "parameters": [{ "$ref": "#/components/parameters/Id" }], "put": {
            "description": format!("Sets **one** tide. {SCRIPT}"),
            "parameters": [{ "name": "dry", "in": "query", "schema": { "type": "boolean", "default": false } }],
            "requestBody": { "content": { "application/json": {
                "schema": { "$ref": "#/components/schemas/Tide" }, "example": { "height": 1.5 } } } },
            "responses": { "200": { "description": format!("The tide {SCRIPT}"),
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Tide" } } } } }
        } } },
        "components": {
            "parameters": { "Id": { "name": "id", "in": "path", "required": true, "description": "Which one",
                "schema": { "type": "string", "minLength": 3 } } },
            "schemas": { "Tide": { "type": "object", "required": ["height"], "properties": {
                "height": { "type": "number", "minimum": 0 },
                "before": { "$ref": "#/components/schemas/Tide" },
                "kinds": { "type": "array", "items": { "type": "string", "enum": ["spring", "neap", SCRIPT] } }
            } } }
        }
    })
}

fn html(markdown: &str, document: serde_json::Value) -> String {
    let mut space = Space::new();
    space.specification = Some(document);
    render(&parse(markdown).nodes, &space, words("en"))
        .html
        .as_str()
        .to_owned()
}

const OPERATION: &str =
    "{% openapi-operation spec=\"tides\" path=\"/tides/{id}\" method=\"put\" %}\n{% endopenapi-operation %}\n";

#[test]
fn operations_have_their_parameters_bodies_and_responses() {
    let html = html(OPERATION, document());
    for part in [
        "<span class=\"method\">PUT</span> <code>/tides/{id}</code>",
        "Sets <strong>one</strong> tide.",
        "<code>id</code> <span class=\"type\">string</span> <span class=\"required\">required</span>",
        "Which one",
        "length ≥ <code>3</code>",
        "<code>dry</code> <span class=\"type\">boolean</span>",
        "<code>height</code> <span class=\"type\">number</span> <span class=\"required\">required</span>",
        "<code>before</code> <span class=\"type\">Tide</span>",
        "<code>kinds</code> <span class=\"type\">string[]</span>",
        "<summary><code>200</code> The tide",
        "https://api.tidewater.example/v1/tides/{id}",
        "Authorization: Bearer TOKEN",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(!html.contains("<script"), "{html}");
}

#[test]
fn operations_that_are_not_in_the_document_are_cards() {
    let html = html(&OPERATION.replace("put", "get"), document());
    assert!(
        html.contains("<div class=\"card\"><strong>GET /tides/{id}</strong>"),
        "{html}"
    );
}

#[test]
fn schemas_of_any_form_end() {
    let wide: serde_json::Map<String, serde_json::Value> = (0..40)
        .map(|name| (format!("p{name}"), json!({ "$ref": "#/components/schemas/Other" })))
        .collect();
    let other = wide
        .keys()
        .map(|name| (name.clone(), json!({ "$ref": "#/components/schemas/Tide" })));
    let other: serde_json::Map<String, serde_json::Value> = other.collect();
    let mut document = document();
    document["components"]["schemas"]["Tide"] =
        json!({ "properties": wide, "allOf": [{ "$ref": "#/components/schemas/Tide" }] });
    document["components"]["schemas"]["Other"] = json!({ "properties": other, "items": { "$ref": "#/nowhere" } });
    let html = html(OPERATION, document);
    assert!(html.len() < 1_000_000, "{}", html.len());
    for odd in [
        json!(null),
        json!({ "paths": [] }),
        json!({ "paths": { "/tides/{id}": { "put": 3, "parameters": "x" } } }),
    ] {
        self::html(OPERATION, odd);
    }
}

#[test]
fn descriptions_show_no_operations() {
    let mut document = document();
    document["paths"]["/tides/{id}"]["put"]["description"] = json!(OPERATION);
    let html = html(OPERATION, document);
    assert_eq!(html.matches("class=\"endpoint\"").count(), 1, "{html}");
}

#[test]
fn repeated_schemas_have_little_room() {
    let text = "Words. ".repeat(1_000);
    let wide = (0..1_000).map(|name| (format!("p{name}"), json!({ "type": "string", "description": text })));
    let wide: serde_json::Map<String, serde_json::Value> = wide.collect();
    let all = (0..600).map(|name| (format!("q{name}"), json!({ "$ref": "#/components/schemas/Wide" })));
    let all: serde_json::Map<String, serde_json::Value> = all.collect();
    let mut document = document();
    document["components"]["schemas"]["Tide"] = json!({ "properties": all });
    document["components"]["schemas"]["Wide"] = json!({ "properties": wide });
    let html = html(&OPERATION.repeat(20), document);
    assert!(html.len() < 4_000_000, "{}", html.len());
}
