//! Headings and their anchors.

use comrak::Node;
use openapi::models::{DocumentBlock, TextAlignment};

use super::{Reader, items::Item};
use crate::{nodes::make::Heading, syntax::html::Token};

impl<'a> Reader<'a, '_> {
    pub(super) fn heading(&mut self, node: Node<'a>, level: u8, depth: usize) -> DocumentBlock {
        let items = self.items(node);
        self.heading_of(items, level, None, depth)
    }

    /// The title of a page is a heading of its first level: those in the text begin with the second.
    pub(super) fn heading_of(
        &mut self,
        mut items: Vec<Item>,
        level: u8,
        align: Option<TextAlignment>,
        depth: usize,
    ) -> DocumentBlock {
        let id = take_anchor(&mut items);
        let nodes = self.inlines_of(items, depth);
        let heading = Heading {
            level: level.saturating_sub(1),
            nodes,
            id,
            align,
        };
        heading.block()
    }
}

/// An anchor at the end: `<a href="#id" id="id"></a>`.
fn take_anchor(items: &mut Vec<Item>) -> Option<String> {
    let [
        ..,
        Item::Html(Token::Open(element)),
        Item::Html(Token::Close { name, .. }),
    ] = items.as_slice()
    else {
        return None;
    };
    if element.name != "a" || name != "a" {
        return None;
    }
    let mut attributes = element.attributes.clone();
    let id = attributes.take_short("id", ID_LENGTH).filter(|id| is_anchor(id))?;
    let href = attributes.take("href");
    if href.is_some_and(|href| href != format!("#{id}")) || !attributes.done() {
        return None;
    }
    items.truncate(items.len() - 2);
    trim_end(items);
    Some(id)
}

const ID_LENGTH: usize = 320;

fn is_anchor(id: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.+_".contains(c);
    !id.is_empty() && id.chars().all(allowed)
}

fn trim_end(items: &mut Vec<Item>) {
    if let Some(Item::Text(text)) = items.last_mut() {
        if text.ends_with(' ') {
            text.pop();
        }
        if text.is_empty() {
            items.pop();
        }
    }
}
