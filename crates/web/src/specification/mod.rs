//! Operations and schemas of OpenAPI 3.1 documents.

mod operation;
mod samples;
mod schema;
mod servers;
mod try_it;
mod types;

use openapi::models::DocumentBlock;
use serde_json::Value;

use crate::{Html, Words, origins::Origins};

/// Schemas within each other.
const MAX_DEPTH: usize = 8;

/// What is left of the members and the bytes that the parts of documents on one page have: those of large documents repeat.
pub struct Room {
    members: usize,
    bytes: usize,
    /// The origins that the page may call, of which there are few.
    pub origins: Origins,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            members: 3_000,
            bytes: 2 * 1024 * 1024,
            origins: Origins::default(),
        }
    }
}

/// Makes the HTML of a description, which is Markdown.
pub type Describe<'d> = dyn FnMut(&[DocumentBlock]) -> Html + 'd;

/// Writes parts of a document as HTML.
pub struct Specified<'s> {
    document: &'s Value,
    words: &'static Words,
    describe: &'s mut Describe<'s>,
    html: Html,
    /// The references around the schema.
    around: Vec<&'s str>,
    room: Room,
}

impl<'s> Specified<'s> {
    pub fn new(document: &'s Value, words: &'static Words, describe: &'s mut Describe<'s>, room: Room) -> Self {
        Self {
            document,
            words,
            describe,
            html: Html::default(),
            around: Vec::new(),
            room,
        }
    }

    /// The HTML, and what is left for further parts.
    pub fn finish(self) -> (Html, Room) {
        let room = Room {
            bytes: self.room.bytes.saturating_sub(self.html.as_str().len()),
            ..self.room
        };
        (self.html, room)
    }

    /// Takes the place of a member. Returns `false` if there is none left.
    fn take(&mut self) -> bool {
        let is_left = self.room.members > 0 && self.html.as_str().len() < self.room.bytes;
        self.room.members = self.room.members.saturating_sub(1);
        is_left
    }

    /// The object that a reference within the document leads to; the value itself if it is none.
    fn resolved(&self, value: &'s Value) -> (&'s Value, Option<&'s str>) {
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
            return (value, None);
        };
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| self.document.pointer(pointer));
        (target.unwrap_or(value), Some(reference))
    }

    fn description(&mut self, value: &Value) {
        let text = value.get("description").and_then(Value::as_str).unwrap_or_default();
        if text.trim().is_empty() {
            return;
        }
        let parsed = rich_text::parse(text, &rich_text::DocumentLimits::default());
        match parsed {
            Ok(document) => {
                let html = (self.describe)(&document.nodes);
                self.html.append(&html);
            }
            Err(_) => {
                self.html.markup("<p>");
                self.html.text(text);
                self.html.markup("</p>");
            }
        }
    }

    /// A title of a part of an operation.
    fn title(&mut self, title: &str) {
        self.html.markup("<p class=\"part\">");
        self.html.text(title);
        self.html.markup("</p>");
    }

    fn label(&mut self, class: &'static str, text: &str) {
        drop(self.html.open("span").attribute("class", class));
        self.html.text(text);
        self.html.markup("</span> ");
    }
}
