//! Problems of documents that are read nevertheless.

use serde_json::json;

use super::*;
use crate::Outline;

#[test]
fn operations_are_checked() {
    let of = |operation: Value| {
        json!({
            "openapi": "3.0.0", "info": { "title": "T", "version": "1" },
            "paths": { "/a": { "get": operation }, "/b": { "get": { "operationId": "b", "responses": {} } } },
        })
        .to_string()
    };
    let get = "/paths/~1a/get";
    for (operation, message, place) in [
        (json!({}), "The operation needs `responses`.", get.to_owned()),
        (json!([]), "The value must be an object.", get.to_owned()),
        (
            json!({ "responses": { "20": {} } }),
            "`20` is not a status",
            format!("{get}/responses"),
        ),
        (
            json!({ "responses": {}, "parameters": {} }),
            "The value must be an array.",
            format!("{get}/parameters"),
        ),
        (
            json!({ "responses": {}, "parameters": [{}] }),
            "A parameter needs a text `name`.",
            format!("{get}/parameters/0"),
        ),
        (
            json!({ "responses": {}, "parameters": [{ "name": "x", "in": "body" }] }),
            "A parameter cannot be in `body`",
            format!("{get}/parameters/0/in"),
        ),
        (
            json!({ "responses": { "200": { "content": { "a/b": { "schema": { "type": 1 } } } } } }),
            "`type` must be a text",
            format!("{get}/responses/200/content/a~1b/schema/type"),
        ),
    ] {
        let (said, at) = reported(&of(operation)).swap_remove(0);
        assert!(said.starts_with(message), "{said}");
        assert_eq!(at, place);
    }
    let twice = reported(&of(json!({ "operationId": "b", "responses": {} }))).swap_remove(0);
    assert!(
        twice.0.starts_with("The operationId `b` is that of another operation"),
        "{}",
        twice.0
    );
    let many: serde_json::Map<_, _> = (0..100).map(|i| (format!("/{i}"), json!({ "get": {} }))).collect();
    let document = json!({ "openapi": "3.0.0", "info": { "title": "T", "version": "1" }, "paths": many });
    let finished = Bundle::open(document.to_string().as_bytes(), None)
        .and_then(Bundle::finish)
        .unwrap();
    assert_eq!((finished.problems.first.len(), finished.problems.count()), (50, 100));
}

/// Documents that other tools show.
#[test]
fn incomplete_documents_are_read() {
    let paths = "paths: {/a: {get: {responses: {'200': {description: OK}}}}}";
    for (text, message, place) in [
        (
            format!("openapi: 3.1.0\n{paths}"),
            "The document needs `info`.",
            "the top level",
        ),
        (
            format!("openapi: 3.0.3\ninfo: {{title: T}}\n{paths}"),
            "The document needs a text `version`.",
            "/info",
        ),
        (
            format!("openapi: 3.0.3\ninfo: {{version: 1.10}}\n{paths}"),
            "The document needs a text `title`.",
            "/info",
        ),
        (
            "openapi: 3.0.3\ninfo: {title: T, version: '1'}\ncomponents: {schemas: {A: {}}}".to_owned(),
            "The document needs an object `paths`.",
            "the top level",
        ),
        (
            format!("openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\n{paths}\ntags: {{}}"),
            "`tags` must be an array.",
            "/tags",
        ),
    ] {
        assert_eq!(reported(&text), [(message.to_owned(), place.to_owned())], "{text}");
        let info = &finish(&text)["info"];
        assert!(info["title"].is_string() && info["version"].is_string(), "{info}");
    }
}

#[test]
fn references_to_nothing_are_reported() {
    let schemas = json!({ "A": { "$ref": "#/components/schemas/B" }, "C": { "properties": { "$ref": "#/x" } }, "D": { "$ref": 1 } });
    let document =
        json!({ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "components": { "schemas": schemas } });
    let expected = [
        ("The value must be an object.", "/components/schemas/C/properties/$ref"),
        ("`$ref` must be a text.", "/components/schemas/D"),
        ("The reference leads to nothing.", "/components/schemas/A/$ref"),
    ];
    let expected = expected.map(|(message, place)| (message.to_owned(), place.to_owned()));
    assert_eq!(reported(&document.to_string()), expected);
    assert_eq!(finish(&document.to_string()), document);
}

#[test]
fn openapi_3_2_is_read_as_3_1() {
    let text = "
openapi: 3.2.0
info: {title: T, version: '1'}
tags: [{name: a, kind: nav, parent: b}]
paths:
  /a:
    get: {responses: {'200': {description: OK, content: {a/b: {itemSchema: {$ref: '#/components/schemas/A'}}}}}}
    query: {parameters: [{name: q, in: querystring, content: {a/b: {}}}]}
    additionalOperations: {COPY: {description: Copies., responses: {}}}
components:
  schemas: {A: {type: object}}
  mediaTypes: {B: {schema: {$ref: '#/components/schemas/A'}}}
";
    let message = "OpenAPI 3.2 is read as 3.1. What only 3.2 has stays in the document, and is not shown.";
    assert_eq!(reported(text), [(message.to_owned(), "/openapi".to_owned())]);
    let document = finish(text);
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["tags"][0]["kind"], "nav");
    let item = &document["paths"]["/a"];
    assert_eq!(item["additionalOperations"]["COPY"]["description"], "Copies.");
    assert_eq!(item["query"]["parameters"][0]["in"], "querystring");
    let outline = Outline::read(document.to_string().as_bytes());
    let keys: Vec<String> = outline.pages(ALL_PAGES).map(|page| page.key).collect();
    assert_eq!(keys, ["operations", "operation:get /a", "models"]);
}
