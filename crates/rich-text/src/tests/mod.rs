//! Rich text in both directions, kind by kind and with generated input.

mod blocks;
mod book;
mod code;
mod containers;
mod errors;
mod front_matter;
mod generated;
mod hostile;
mod images;
mod inlines;
mod keys;
mod links;
mod lists;
mod misplaced;
mod resolver;
mod rewrite;
mod sections;
mod speed;
mod tables;
mod trees;

use openapi::models::Document;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use super::{Limits, parse, render};

fn read(markdown: &str) -> Document {
    parse(markdown, &Limits::default()).expect("parses")
}

/// The nodes of a text as JSON, without what every node of a type has: what is left is what the text says.
fn nodes(markdown: &str) -> Value {
    bare(serde_json::to_value(read(markdown)).expect("JSON")["nodes"].take())
}

fn bare(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(bare).collect(),
        Value::Object(members) => {
            if let Some(leaves) = members.get("leaves") {
                return text_of(leaves);
            }
            let always = |name: &str| matches!(name, "key" | "isVoid" | "meta" | "object");
            let said = members
                .into_iter()
                .filter(|(name, value)| !always(name) && !is_default(name, value));
            let said = said.map(|(name, value)| (name, bare(value)));
            said.filter(|(_, value)| *value != json!({}) && *value != json!([]))
                .collect()
        }
        other => other,
    }
}

fn is_default(name: &str, value: &Value) -> bool {
    (name == "overflow" && value == "scroll") || (name == "collapsedLineCount" && value == 10)
}

/// A text as its words, or as a list of words with their marks.
fn text_of(leaves: &Value) -> Value {
    let leaves = leaves.as_array().expect("leaves");
    let parts = leaves.iter().map(|leaf| {
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

/// The text has these nodes, is written in this form, and read back alike.
#[track_caller]
fn both_ways(markdown: &str, expected: Value, written: &str) {
    assert_eq!(nodes(markdown), expected, "{markdown}");
    let document = read(markdown);
    let again = render(&document).expect("is written");
    assert_eq!(again, written, "{markdown}");
    assert_eq!(read(&again), document, "{again}");
}

/// The same for a text that is in the usual form already.
#[track_caller]
fn usual(markdown: &str, expected: Value) {
    both_ways(markdown, expected, markdown);
}

fn paragraph(words: &str) -> Value {
    json!({ "type": "paragraph", "nodes": [words] })
}

/// So many cases of a property; `PROPTEST_CASES` asks for more.
fn cases(usual: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|asked| asked.parse().ok());
    Config {
        cases: asked.unwrap_or(usual),
        failure_persistence: None,
        ..Config::default()
    }
}
