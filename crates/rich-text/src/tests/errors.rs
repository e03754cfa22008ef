//! Errors of rendering, with their pointers.

use openapi::models::Document;
use openapi::{enums::Enumeration as _, error::ErrorRule};
use serde_json::{Value, json};

use super::render;
use crate::{DocumentLimits, parse};

#[track_caller]
fn assert_error(nodes: Value, code: &str, pointer: &str) {
    let document: Document =
        serde_json::from_value(json!({ "object": "document", "data": {}, "nodes": nodes })).unwrap();
    let error = render(&document).unwrap_err();
    assert_eq!(
        (error.code.as_str(), error.pointer.as_str()),
        (code, pointer),
        "{error}"
    );
}

fn text(words: &str) -> Value {
    json!({ "object": "text", "leaves": [{ "object": "leaf", "text": words, "marks": [] }] })
}

fn block(name: &str, more: Value) -> Value {
    let mut block = json!({ "object": "block", "type": name });
    for (name, value) in more.as_object().unwrap() {
        block[name] = value.clone();
    }
    block
}

#[test]
fn blocks() {
    assert_error(json!([block("list-unordered", json!({}))]), "empty-list", "/nodes/0");
    let item = json!({ "object": "block", "type": "list-item", "nodes": [] });
    assert_error(
        json!([block(
            "list-ordered",
            json!({ "data": { "start": 2_000_000_000 }, "nodes": [item] })
        )]),
        "list-number",
        "/nodes/0",
    );
    assert_error(
        json!([block("images", json!({ "isVoid": false, "data": {} }))]),
        "no-image",
        "/nodes/0",
    );
    let bold = json!({ "object": "text", "leaves": [{ "object": "leaf", "text": "a", "marks": [{ "object": "mark", "type": "bold" }] }] });
    let line = json!({ "object": "block", "type": "code-line", "data": {}, "nodes": [bold] });
    assert_error(
        json!([block("code", json!({ "data": {}, "nodes": [line] }))]),
        "marks-in-code",
        "/nodes/0/nodes/0",
    );
    assert_error(
        json!([block(
            "math",
            json!({ "isVoid": true, "data": { "formula": "a\n$$\nb" } })
        )]),
        "not-expressible",
        "/nodes/0",
    );
}

#[test]
fn integrations() {
    let integration = |more: Value| {
        let mut data = json!({ "integration": "a", "block": "b", "props": {} });
        for (name, value) in more.as_object().unwrap() {
            data[name] = value.clone();
        }
        json!([block("integration", json!({ "isVoid": true, "data": data }))])
    };
    assert_error(
        integration(json!({ "action": { "action": "@link.unfurl" } })),
        "integration-action",
        "/nodes/0",
    );
    assert_error(
        integration(json!({ "props": { "a": { "b": 1 } } })),
        "integration-props",
        "/nodes/0",
    );
}

#[test]
fn text_that_would_parse_differently() {
    let line = |words: &str| json!({ "object": "block", "type": "code-line", "data": {}, "nodes": [text(words)] });
    let code = block("code", json!({ "data": {}, "nodes": [line("fine"), line("a\rb")] }));
    assert_error(
        json!([block("divider", json!({ "isVoid": true, "data": {} })), code]),
        "not-expressible",
        "/nodes/1/nodes/1/nodes/0",
    );
    let aligned =
        json!({ "object": "block", "type": "paragraph", "data": { "align": "center" }, "nodes": [text("a")] });
    let expandable = json!([
        { "object": "fragment", "fragment": "expandable-title", "type": "expandable-title", "nodes": [aligned] },
        { "object": "fragment", "fragment": "expandable-body", "type": "expandable-body", "nodes": [block("paragraph", json!({}))] },
    ]);
    let expandable = block(
        "expandable",
        json!({ "isVoid": true, "data": {}, "fragments": expandable }),
    );
    assert_error(json!([expandable]), "not-expressible", "/nodes/0/fragments/0/nodes/0");
}

#[test]
fn cells() {
    let definition = json!({ "a": { "id": "a", "title": "A", "type": "text", "textAlignment": "left" } });
    let table = |values: Value, nodes: Value| {
        json!([block(
            "table",
            json!({
                "isVoid": true,
                "data": {
                    "view": { "type": "grid", "columns": ["a"], "hideHeader": false },
                    "records": { "r": { "orderIndex": "1", "values": values } },
                    "definition": definition,
                },
                "fragments": [{ "object": "fragment", "fragment": "f", "nodes": nodes }],
            })
        )])
    };
    let list = block(
        "hint",
        json!({ "data": { "style": "info" }, "nodes": [block("paragraph", json!({ "nodes": [text("a")] }))] }),
    );
    assert_error(
        table(json!({ "a": "f" }), json!([list])),
        "table-cell",
        "/nodes/0/fragments/0/nodes/0",
    );
    assert_error(table(json!({ "a": "g" }), json!([])), "no-fragment", "/nodes/0");
    assert_error(table(json!({ "a": 5 }), json!([])), "cell-type", "/nodes/0");
    let words = json!([block("paragraph", json!({ "nodes": [text("lost")] }))]);
    assert_error(table(json!({}), words), "not-expressible", "/nodes/0/fragments/0");
}

#[test]
fn documents() {
    let mut document = super::parse_document("a");
    document.data.additional.insert("more".to_owned(), json!(1));
    assert_eq!(render(&document).unwrap_err().code, ErrorRule::DocumentData);
}

#[test]
fn depth() {
    let mut nodes = json!([block("paragraph", json!({ "nodes": [text("a")] }))]);
    for _ in 0..40 {
        nodes = json!([block("blockquote", json!({ "nodes": nodes }))]);
    }
    let document: Document =
        serde_json::from_value(json!({ "object": "document", "data": {}, "nodes": nodes })).unwrap();
    assert_eq!(render(&document).unwrap_err().code, ErrorRule::TooDeep);
}

#[test]
fn text_over_the_limits() {
    let limits = DocumentLimits {
        bytes: 10,
        ..DocumentLimits::default()
    };
    assert_eq!(parse("01234567890", &limits).unwrap_err().code, ErrorRule::TooLong);
    let limits = DocumentLimits {
        children: 2,
        ..DocumentLimits::default()
    };
    assert!(parse("a\n\nb", &limits).is_ok());
    assert_eq!(parse("a\n\nb\n\nc", &limits).unwrap_err().code, ErrorRule::TooManyNodes);
}
