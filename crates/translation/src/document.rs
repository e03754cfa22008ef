//! The segments of a document, and putting translations in their places.

use openapi::models::Document;
use serde_json::{Map, Value, json};

use crate::{segment::Segment, tagged::Tagged};

/// References to this space become references to that one.
#[derive(Clone, Debug)]
pub struct SpaceMove {
    pub from: String,
    pub to: String,
}

/// A document with translations in the places of its segments.
#[derive(Debug)]
pub struct TranslatedDocument {
    pub document: Document,
    /// Segments that stay in the source language, because there is no translation of them that fits.
    pub untranslated: usize,
}

/// Returns the segments of a document that have words, in their order.
pub fn segments_of(document: &Document) -> Result<Vec<Segment>, serde_json::Error> {
    let mut root = serde_json::to_value(document)?;
    let mut found = Vec::new();
    visit_all(&mut root, &mut |slot| found.extend(slot.segment()));
    Ok(found)
}

/// Puts translations in the places of segments. `translation` returns that of a segment, and `None` leaves the segment as it is.
pub fn translate_document(
    document: &Document,
    spaces: &SpaceMove,
    translation: &mut dyn FnMut(&Segment) -> Option<String>,
) -> Result<TranslatedDocument, serde_json::Error> {
    let mut root = serde_json::to_value(document)?;
    let mut untranslated = 0;
    visit_all(&mut root, &mut |slot| {
        let Some(segment) = slot.segment() else {
            return;
        };
        let is_done = translation(&segment).is_some_and(|translation| slot.fill(&segment, &translation));
        untranslated += usize::from(!is_done);
    });
    retarget(&mut root, spaces);
    Ok(TranslatedDocument {
        document: serde_json::from_value(root)?,
        untranslated,
    })
}

/// Replaces the space of references.
pub fn retarget(value: &mut Value, spaces: &SpaceMove) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| retarget(item, spaces)),
        Value::Object(members) => {
            let is_reference = members.contains_key("kind");
            if let Some(Value::String(space)) = members.get_mut("space").filter(|_| is_reference)
                && *space == spaces.from
            {
                space.clone_from(&spaces.to);
            }
            members.values_mut().for_each(|member| retarget(member, spaces));
        }
        _ => {}
    }
}

/// A place of a segment.
enum Slot<'v> {
    Inlines(&'v mut Value),
    Plain(&'v mut Value),
}

impl Slot<'_> {
    fn segment(&self) -> Option<Segment> {
        let segment = match self {
            Self::Inlines(nodes) => Segment::inlines(nodes.as_array()?),
            Self::Plain(text) => Segment::plain(text.as_str()?),
        };
        segment.has_words().then_some(segment)
    }

    /// Returns whether the translation fits.
    fn fill(self, segment: &Segment, translation: &str) -> bool {
        match self {
            Self::Inlines(nodes) => match segment.translated_nodes(translation) {
                Ok(translated) => *nodes = Value::Array(translated),
                Err(_) => return false,
            },
            Self::Plain(text) => match segment.plain_translation(translation) {
                Some(translated) => *text = Value::String(translated),
                None => return false,
            },
        }
        true
    }
}

type OnSlot<'f> = dyn FnMut(Slot<'_>) + 'f;

fn visit_all(root: &mut Value, on: &mut OnSlot<'_>) {
    children(root, "nodes").for_each(|block| visit(block, on));
}

/// Visits the segments of a node. Segments within a segment come first, so that their places are found before words move.
fn visit(node: &mut Value, on: &mut OnSlot<'_>) {
    let name = node.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    match name.as_str() {
        "code" | "prompt" | "math" | "embed" | "file" | "integration" | "swagger" | "openapi-operation"
        | "openapi-schemas" | "openapi-webhook" | "reusable-content" => {}
        "paragraph" => visit_inlines(node, on),
        "heading-1" | "heading-2" | "heading-3" => visit_heading(node, on),
        "content-ref" => plain(data(node).and_then(|data| data.get_mut("text")), on),
        "drawing" | "image" => {
            plain(data(node).and_then(|data| data.get_mut("alt")), on);
            visit_below(node, on);
        }
        "tabs-item" => {
            plain(data(node).and_then(|data| data.get_mut("title")), on);
            visit_below(node, on);
        }
        "table" => {
            visit_columns(node, on);
            visit_below(node, on);
        }
        _ => visit_below(node, on),
    }
}

fn visit_below(node: &mut Value, on: &mut OnSlot<'_>) {
    children(node, "nodes").for_each(|child| visit(child, on));
    children(node, "fragments").for_each(|child| visit(child, on));
}

fn visit_inlines(node: &mut Value, on: &mut OnSlot<'_>) {
    children(node, "nodes").for_each(|inline| visit_inline(inline, on));
    if let Some(nodes) = node.get_mut("nodes") {
        on(Slot::Inlines(nodes));
    }
}

/// A translated heading keeps its anchor, so that links to it stay true.
fn visit_heading(node: &mut Value, on: &mut OnSlot<'_>) {
    let before = inline_text(node);
    visit_inlines(node, on);
    if inline_text(node) == before {
        return;
    }
    let anchor = node.pointer("/meta/id").cloned();
    let Some(heading) = node.as_object_mut() else {
        return;
    };
    let data = heading.entry("data").or_insert_with(|| json!({}));
    if let (Some(anchor), Some(data)) = (anchor, data.as_object_mut())
        && data.get("id").is_none_or(Value::is_null)
    {
        data.insert("id".to_owned(), anchor);
    }
}

fn inline_text(node: &Value) -> String {
    let nodes = node.get("nodes").and_then(Value::as_array);
    Tagged::of(nodes.map_or(&[], Vec::as_slice)).text
}

fn visit_inline(inline: &mut Value, on: &mut OnSlot<'_>) {
    let name = inline
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    match name.as_str() {
        "inline-image" => {
            plain(data(inline).and_then(|data| data.get_mut("alt")), on);
            plain(data(inline).and_then(|data| data.get_mut("caption")), on);
        }
        "button" => plain(data(inline).and_then(|data| data.get_mut("label")), on),
        "link" => {
            plain(data(inline).and_then(|data| data.get_mut("title")), on);
            children(inline, "nodes").for_each(|child| visit_inline(child, on));
        }
        "annotation" => children(inline, "fragments").for_each(|body| visit(body, on)),
        _ => {}
    }
}

/// The titles of the columns of a table, and of the options of a column.
fn visit_columns(table: &mut Value, on: &mut OnSlot<'_>) {
    let columns = data(table).and_then(|data| data.get_mut("definition")?.as_object_mut());
    for column in columns.into_iter().flat_map(Map::values_mut) {
        plain(column.get_mut("title"), on);
        for option in children(column, "options") {
            plain(option.get_mut("label"), on);
        }
    }
}

fn plain(text: Option<&mut Value>, on: &mut OnSlot<'_>) {
    if let Some(text) = text {
        on(Slot::Plain(text));
    }
}

fn data(node: &mut Value) -> Option<&mut Value> {
    node.get_mut("data")
}

fn children<'v>(node: &'v mut Value, member: &str) -> impl Iterator<Item = &'v mut Value> {
    node.get_mut(member).and_then(Value::as_array_mut).into_iter().flatten()
}
