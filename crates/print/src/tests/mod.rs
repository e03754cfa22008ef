//! Tests: what is printed, and that no text can be code.

mod convert;
mod hostile;
mod math;
mod pictures;
mod scripts;

use std::sync::LazyLock;

use openapi::models::Document;
use rich_text::{DocumentLimits, IdPathResolver};
use serde_json::{Value, json};

use crate::{
    Book, BookPage, Converter, Resolver, Target,
    typeset::{Typeset, typeset},
};

/// Resolves addresses to themselves, and knows one page, one image and one reusable content.
pub struct Fixed {
    reusable: Vec<Value>,
}

impl Resolver for Fixed {
    fn target(&self, reference: &Value) -> Target {
        let member = |name| reference.get(name).and_then(Value::as_str).map(str::to_owned);
        Target {
            url: member("url"),
            page: member("page"),
            anchor: member("anchor"),
            title: member("page").or(member("file")),
        }
    }

    fn image(&mut self, reference: &Value) -> Option<String> {
        let file = reference.get("file")?.as_str()?;
        Some(file.to_owned())
    }

    fn reusable_content(&self, reference: &Value) -> Option<&[Value]> {
        reference.get("reusableContent")?;
        Some(&self.reusable)
    }
}

pub fn parse(markdown: &str) -> Vec<Value> {
    let document: Document = rich_text::parse_with(markdown, &DocumentLimits::default(), &IdPathResolver).unwrap();
    serde_json::to_value(document.nodes)
        .unwrap()
        .as_array()
        .unwrap()
        .clone()
}

pub fn convert(nodes: &[Value]) -> Vec<Value> {
    let mut resolver = Fixed {
        reusable: parse("A shared *text*."),
    };
    Converter::new(&mut resolver, 100_000).page("p1", 1, nodes).unwrap()
}

pub fn book(nodes: Vec<Value>) -> Book {
    Book {
        title: "Gripper G4".to_owned(),
        language: "en".to_owned(),
        cover: true,
        contents: true,
        pages: vec![BookPage {
            level: 1,
            label: "page p1".to_owned(),
            title: "Fingers".to_owned(),
            description: None,
            nodes,
        }],
        ..Book::default()
    }
}

pub fn print(book: Book) -> Typeset {
    typeset(book, Vec::new(), &[]).unwrap()
}

/// The texts of nodes.
pub fn texts(nodes: &[Value]) -> String {
    let mut found = String::new();
    collect(&json!(nodes), &mut found);
    found
}

fn collect(value: &Value, found: &mut String) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if ["v", "text", "note", "title"].contains(&name.as_str()) => {
                        found.push_str(text);
                        found.push('\n');
                    }
                    Value::String(_) => {}
                    value => collect(value, found),
                }
            }
        }
        // The titles of columns.
        Value::String(text) => {
            found.push_str(text);
            found.push('\n');
        }
        _ => {}
    }
}

/// A Markdown text with every construct.
pub static EVERYTHING: LazyLock<Vec<Value>> =
    LazyLock::new(|| parse(include_str!("../../../rich-text/src/tests/samples/everything.md")));
