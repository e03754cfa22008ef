//! Documents that are broken, or made to do harm.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use super::*;

const HEAD: &str = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\n";

#[test]
fn problems_have_places() {
    for (text, message, place) in [
        ("", "The document is empty.", ""),
        ("[]", "The document is not an object.", "the top level"),
        (
            "<!DOCTYPE html>",
            "The document is HTML or XML instead of JSON or YAML.",
            "line 1, column 1",
        ),
        (
            "{\"openapi\": \"3.1.0\",\n \"a\" 1}",
            "The JSON cannot be parsed: expected `:`.",
            "line 2, column 6",
        ),
        (
            "{\"a\": 1, \"a\": 2}",
            "The member `a` occurs twice.",
            "line 1, column 16",
        ),
        ("a: 1\na: 2\n", "The member `a` occurs twice.", "line 2, column 1"),
        (
            "a: 1\n---\nb: 2\n",
            "The file has more than one YAML document.",
            "line 2, column 1",
        ),
        (
            "a: &a [*a]\n",
            "An alias refers to a value that contains the alias.",
            "line 1, column 8",
        ),
        ("? [a]\n: b\n", "A key is not a text.", "line 1, column 3"),
        (
            "openapi: 4.0.0",
            "The version `4.0.0` is not one of 2.0, 3.0, 3.1 and 3.2.",
            "/openapi",
        ),
        (
            "openapi: 3.0.0\ninfo: {title: T, version: '1'}",
            "The document needs an object `paths`.",
            "the top level",
        ),
    ] {
        assert_eq!(problem(text), (message.to_owned(), place.to_owned()), "{text}");
    }
    assert!(problem("a: 'b").0.starts_with("The YAML cannot be parsed: "));
    assert_eq!(
        problem(b"a: 1\nb: \xff"),
        ("The document is not UTF-8.".to_owned(), "line 2, column 4".to_owned())
    );
}

/// A document in which each list has the one before several times.
fn bomb(levels: usize) -> String {
    let mut text = format!("{HEAD}x-0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..levels {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        text.push_str(&format!("x-{level}: &a{level} [{aliases}]\n"));
    }
    text
}

#[test]
fn aliases_are_limited() {
    let start = Instant::now();
    assert_eq!(problem(bomb(40)).0, "Aliases make the document too large.");
    let long = format!(
        "{HEAD}x-a: &a {}\nx-b: [{}]\n",
        "a".repeat(1 << 20),
        vec!["*a"; 100].join(", ")
    );
    assert_eq!(problem(long).0, "Aliases make the document too large.");
    assert!(start.elapsed() < Duration::from_secs(10));
    let document = finish(&format!("{HEAD}x-a: &a {{b: [1]}}\nx-c: *a\nx-d: {{<<: *a, e: 2}}\n"));
    assert_eq!(document["x-c"], json!({ "b": [1] }));
    assert_eq!(document["x-d"], json!({ "e": 2, "b": [1] }));
}

#[test]
fn depth_and_size_are_limited() {
    let deep = format!("{}{}", "{\"a\":".repeat(5000), "}".repeat(5000));
    assert!(problem(deep).0.contains("deep"), "JSON");
    assert_eq!(
        problem("[".repeat(5000)).0,
        "The YAML cannot be parsed: recursion limit exceeded."
    );
    assert_eq!(problem("- ".repeat(5000)).0, "The document is nested too deeply.");
    let wide = format!("{{\"x-a\": [{}1]}}", "1,".repeat(4_000_000));
    assert_eq!(problem(wide).0, "The document has too many values.");
    let large = vec![b' '; crate::MAX_SOURCE_BYTES + 1];
    assert!(problem(large).0.starts_with("The document has more than"));
    let mut schema = json!({});
    for _ in 0..40 {
        schema = json!({ "allOf": [schema] });
    }
    let document = json!({
        "openapi": "3.0.0", "info": { "title": "T", "version": "1" }, "paths": {}, "components": { "schemas": { "A": schema } },
    });
    finish(&document.to_string());
}

/// A part that a document of Swagger 2.0 has once has many places in OpenAPI 3.
#[test]
fn an_upgrade_is_limited() {
    let media: Vec<_> = (0..2_000).map(|number| format!("application/{number:01000}")).collect();
    let responses = json!({ "200": { "description": "Done.", "schema": { "type": "string" } } });
    let many = |operation: Value| -> serde_json::Map<_, _> {
        (0..10_000)
            .map(|number| (format!("/{number}"), json!({ "get": operation })))
            .collect()
    };
    let long = "a".repeat(1 << 20);
    let body = json!({ "name": "body", "in": "body", "schema": { "type": "string" } });
    for (parameters, operation) in [
        (json!({}), json!({ "responses": responses })),
        (json!({}), json!({ "parameters": [body], "responses": {} })),
        (
            json!({ "field": { "name": "field", "in": "formData", "type": "string", "description": long } }),
            json!({ "parameters": [{ "$ref": "#/parameters/field" }], "responses": {} }),
        ),
    ] {
        let document = json!({
            "swagger": "2.0", "info": { "title": "T", "version": "1" }, "produces": media, "consumes": media,
            "parameters": parameters, "paths": many(operation),
        });
        let message = problem(document.to_string()).0;
        assert_eq!(message, "As OpenAPI 3.1, the document has too many values.");
    }
}

#[test]
fn references_at_every_depth_end() {
    let mut schema = json!({});
    for _ in 0..40 {
        schema = json!({ "properties": { "a": schema } });
    }
    let schemas = (0..40).map(|depth| {
        let target = format!("#/components/schemas/A{}", "/properties/a".repeat(depth));
        (format!("R{depth}"), json!({ "$ref": target }))
    });
    let mut schemas: serde_json::Map<_, _> = schemas.collect();
    schemas.insert("A".to_owned(), schema);
    let document =
        json!({ "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "components": { "schemas": schemas } });
    assert_eq!(finish(&document.to_string()), document);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Bundle::open(&bytes, None).and_then(Bundle::finish);
    }

    #[test]
    fn text_like_yaml_is_parsed_or_refused(text in "[a-c:\\-\\[\\]{}&*!|>'\"#, \n?0-9.]{0,120}") {
        let _ = Bundle::open(text.as_bytes(), None).and_then(Bundle::finish);
    }

    #[test]
    fn broken_documents_are_refused_or_finished(
        version in prop::sample::select(vec!["swagger: '2.0'", "openapi: 3.0.1", "openapi: 3.1.0"]),
        cut in 0_usize..2000,
        from in "[a-zA-Z$:/{}\\[\\]]{1,4}",
        to in "[a-z0-9$:/{}\\[\\]\"\n ]{0,4}",
    ) {
        let text = upgrades::PETSTORE.replace("swagger: '2.0'", version).replacen(&from, &to, 3);
        let text: String = text.chars().take(cut.max(100)).collect();
        let _ = Bundle::open(text.as_bytes(), None).and_then(Bundle::finish);
    }
}

#[test]
fn a_large_document_takes_seconds() {
    let operation = |i: usize| {
        let schema = json!({ "$ref": format!("#/components/schemas/S{i}") });
        let content = json!({ "application/json": { "schema": schema } });
        json!({
            "operationId": format!("read{i}"), "summary": "a".repeat(150),
            "parameters": [{ "name": "page", "in": "query", "schema": { "type": "string", "nullable": true } }],
            "responses": { "200": { "description": "Done.", "content": content } },
        })
    };
    let schema = json!({ "type": "object", "properties": { "id": { "type": "string", "example": "b".repeat(100) } } });
    let paths: serde_json::Map<_, _> = (0..20_000)
        .map(|i| (format!("/items/{i}"), json!({ "get": operation(i) })))
        .collect();
    let schemas: serde_json::Map<_, _> = (0..20_000).map(|i| (format!("S{i}"), schema.clone())).collect();
    let document = json!({
        "openapi": "3.0.3", "info": { "title": "T", "version": "1" }, "paths": paths, "components": { "schemas": schemas },
    });
    let text = document.to_string();
    assert!(text.len() > 11_000_000, "{}", text.len());
    let start = Instant::now();
    let finished = Bundle::open(text.as_bytes(), None).and_then(Bundle::finish).unwrap();
    assert!(finished.document.len() > 11_000_000);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    println!("{} bytes in {:?}", text.len(), start.elapsed());
}
