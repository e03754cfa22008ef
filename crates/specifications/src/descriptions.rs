//! Documents with their descriptions as HTML, as renderers of sites take them.
//!
//! A renderer puts the HTML beside a description into its page as it is; without HTML, it puts the description itself there.
//! So each description that a renderer may take for one has HTML beside it, also where a reference leads to a value that
//! does not look like a part of the document.

use std::cell::RefCell;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Map, Value};

use crate::{html::HtmlRenderer, position::Position, references::unescape};

/// The member with the description as HTML.
const HTML: &str = "x-gitbook-description-html";

/// The prefix of members that renderers take for their own. Sources must not bring them.
const RESERVED_PREFIX: &str = "x-gitbook-description";

const DESCRIPTION: &str = "description";

/// A finished document that is written as JSON, without the members that renderers take for their own.
pub struct Written<'a> {
    value: &'a Value,
    position: Position,
    /// `None`: descriptions have no HTML.
    html: Option<&'a Html>,
}

/// The rendering of descriptions.
struct Html {
    renderer: RefCell<HtmlRenderer>,
    /// Values of the API are described as well, because a reference leads into one of them.
    is_everywhere: bool,
}

/// Returns a document as it is, without HTML.
pub fn plain(document: &Value) -> impl Serialize {
    Written {
        value: document,
        position: Position::Object,
        html: None,
    }
}

/// Writes a document with HTML beside its descriptions.
pub fn write_with_html<W: std::io::Write>(document: &Value, writer: W) -> serde_json::Result<()> {
    let html = Html {
        renderer: RefCell::default(),
        is_everywhere: has_unusual_references(document, Position::Object, document),
    };
    let written = Written {
        value: document,
        position: Position::Object,
        html: Some(&html),
    };
    serde_json::to_writer(writer, &written)
}

impl Written<'_> {
    fn child<'c>(&'c self, value: &'c Value, position: Position) -> Written<'c> {
        Written {
            value,
            position,
            html: self.html,
        }
    }

    /// The HTML for the description of an object here.
    fn html(&self, object: &Map<String, Value>) -> Option<String> {
        let html = self.html?;
        let text = object.get(DESCRIPTION)?.as_str()?.trim();
        let is_described = self.position == Position::Object || html.is_everywhere;
        (is_described && !text.is_empty()).then(|| html.renderer.borrow_mut().render(text))
    }
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Array(items) => {
                let mut array = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    array.serialize_element(&self.child(item, self.position.item()))?;
                }
                array.end()
            }
            Value::Object(members) => {
                let mut object = serializer.serialize_map(None)?;
                for (name, value) in members {
                    if name.starts_with(RESERVED_PREFIX) {
                        continue;
                    }
                    object.serialize_entry(name, &self.child(value, self.position.member(name)))?;
                    if name == DESCRIPTION
                        && let Some(html) = self.html(members)
                    {
                        object.serialize_entry(HTML, &html)?;
                    }
                }
                object.end()
            }
            other => other.serialize(serializer),
        }
    }
}

/// Returns whether a reference leads to what does not look like an object of the format, or stands where names stand.
fn has_unusual_references(value: &Value, position: Position, document: &Value) -> bool {
    match value {
        _ if position == Position::Literal => false,
        Value::Array(items) => items
            .iter()
            .any(|item| has_unusual_references(item, position.item(), document)),
        Value::Object(members) => {
            let of_members = || {
                let mut members = members.iter();
                members.any(|(name, value)| has_unusual_references(value, position.member(name), document))
            };
            match members.get("$ref").and_then(Value::as_str) {
                Some(text) => position == Position::ByName || is_unusual(text, document) || of_members(),
                None => of_members(),
            }
        }
        _ => false,
    }
}

/// Renderers take what follows the number sign for a place in the document, and find places behind references as well.
fn is_unusual(reference: &str, document: &Value) -> bool {
    let (mut value, mut position) = (document, Position::Object);
    let pointer = reference.split('#').nth(1).unwrap_or_default();
    for segment in pointer.split('/').skip(1) {
        let name = unescape(segment);
        let (next, next_position) = match value {
            Value::Object(members) => (members.get(&name), position.member(&name)),
            Value::Array(items) => (
                name.parse::<usize>().ok().and_then(|index| items.get(index)),
                position.item(),
            ),
            _ => (None, position),
        };
        match next {
            Some(next) => (value, position) = (next, next_position),
            None => return segment.contains('%') || value.get("$ref").is_some(),
        }
    }
    position != Position::Object && (value.is_object() || value.is_array())
}
