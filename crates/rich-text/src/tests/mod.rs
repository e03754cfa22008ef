//! Parsing and rendering of every node type, and properties with generated input.

mod block_languages;
mod blocks;
mod book;
mod code;
mod containers;
mod dialect;
mod emphasis;
mod errors;
mod evaluate;
mod front_matter;
mod generated;
mod hostile;
mod images;
mod includes;
mod inlines;
mod keys;
mod leniency;
mod links;
mod lists;
mod misplaced;
mod pieces;
mod resolver;
mod rewrite;
mod sections;
mod tables;
mod targets;
mod trees;

use openapi::models::Document;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use super::{DocumentLimits, parse, render};

fn parse_document(markdown: &str) -> Document {
    parse(markdown, &DocumentLimits::default()).expect("parses")
}

/// Parses a text to JSON without the members that every node of a type has.
fn parse_nodes(markdown: &str) -> Value {
    without_common_members(serde_json::to_value(parse_document(markdown)).expect("JSON")["nodes"].take())
}

fn without_common_members(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(without_common_members).collect(),
        Value::Object(members) => {
            if let Some(leaves) = members.get("leaves") {
                return text_with_marks(leaves);
            }
            let always = |name: &str| matches!(name, "key" | "isVoid" | "meta" | "object");
            let said = members
                .into_iter()
                .filter(|(name, value)| !always(name) && !is_default(name, value));
            let said = said.map(|(name, value)| (name, without_common_members(value)));
            said.filter(|(_, value)| *value != json!({}) && *value != json!([]))
                .collect()
        }
        other => other,
    }
}

fn is_default(name: &str, value: &Value) -> bool {
    (name == "overflow" && value == "scroll") || (name == "collapsedLineCount" && value == 10)
}

/// Returns a text node as a string, or as a list of strings with their marks.
fn text_with_marks(leaves: &Value) -> Value {
    let leaves = leaves.as_array().expect("leaves");
    let parts = leaves.iter().map(|leaf| {
        if let Some(source) = leaf.get("source") {
            return match leaf["text"].as_str() {
                Some("") => json!({ "source": source }),
                _ => json!({ "source": source, "text": leaf["text"] }),
            };
        }
        let marks = leaf["marks"].as_array().expect("marks");
        let names: Vec<&str> = marks.iter().filter_map(|mark| mark["type"].as_str()).collect();
        match names.as_slice() {
            [] => leaf["text"].clone(),
            names => json!([names.join(" "), leaf["text"]]),
        }
    });
    let parts: Vec<Value> = parts.collect();
    match parts.as_slice() {
        [only] => only.clone(),
        _ => Value::Array(parts),
    }
}

/// Asserts that a text parses to these nodes, renders in canonical form and round-trips.
#[track_caller]
fn assert_round_trip(markdown: &str, expected: Value, written: &str) {
    assert_eq!(parse_nodes(markdown), expected, "{markdown}");
    let document = parse_document(markdown);
    let again = render(&document).expect("is written");
    assert_eq!(again, written, "{markdown}");
    assert_eq!(parse_document(&again), document, "{again}");
}

/// Asserts the same for a text in canonical form.
#[track_caller]
fn assert_canonical(markdown: &str, expected: Value) {
    assert_round_trip(markdown, expected, markdown);
}

fn paragraph(words: &str) -> Value {
    json!({ "type": "paragraph", "nodes": [words] })
}

/// The paragraph of a block that keeps its source, and of which readers see nothing.
fn source(source: &str) -> Value {
    json!({ "type": "paragraph", "nodes": [{ "source": source }] })
}

/// Number of cases of a property, unless `PROPTEST_CASES` is set. The inputs are the same in each run; `.cargo/config.toml`
/// says how to get others.
fn cases(usual: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|asked| asked.parse().ok());
    Config {
        cases: asked.unwrap_or(usual),
        max_global_rejects: asked.unwrap_or(usual).saturating_mul(4),
        failure_persistence: None,
        ..Config::default()
    }
}
