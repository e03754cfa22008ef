//! Headings and their anchors.

use comrak::Node;
use openapi::models::{DocumentBlock, TextAlignment};

use super::{MarkdownParser, inline_tokens::InlineToken};
use crate::{nodes::builders::HeadingBuilder, syntax::html::HtmlToken};

impl<'a> MarkdownParser<'a, '_> {
    pub(super) fn heading(&mut self, node: Node<'a>, level: u8, depth: usize) -> DocumentBlock {
        let mut items = self.items(node);
        let id = self.take_written_id(node, &mut items);
        self.heading_of(items, id, (level, None), depth)
    }

    /// Markdown headings begin at level 2: level 1 is the title of the page.
    pub(super) fn heading_from_tokens(
        &mut self,
        mut items: Vec<InlineToken>,
        level: u8,
        align: Option<TextAlignment>,
        depth: usize,
    ) -> DocumentBlock {
        let id = take_anchor(&mut items);
        self.heading_of(items, id, (level, align), depth)
    }

    fn heading_of(
        &mut self,
        items: Vec<InlineToken>,
        id: Option<String>,
        (level, align): (u8, Option<TextAlignment>),
        depth: usize,
    ) -> DocumentBlock {
        let nodes = self.inlines_of(items, depth);
        let heading = HeadingBuilder {
            level: level.saturating_sub(1),
            nodes,
            id,
            align,
        };
        heading.build()
    }

    /// Takes an anchor at the end, which older books write as `{#id}`.
    fn take_written_id(&self, node: Node<'a>, items: &mut Vec<InlineToken>) -> Option<String> {
        let anchor = take_anchor(items);
        if anchor.is_none() {
            join_last_texts(items);
        }
        let Some(InlineToken::Text(text)) = items.last_mut().filter(|_| anchor.is_none()) else {
            return anchor;
        };
        let start = text.rfind("{#")?;
        let written = text.get(start..)?;
        let id = written.strip_prefix("{#")?.strip_suffix('}')?.to_lowercase();
        // With a backslash it is text.
        let (_, source) = self.source_of(node)?;
        let is_id = is_anchor(&id)
            && id.len() <= MAX_ID_LENGTH
            && source.contains(written)
            && !source.contains(&format!("\\{written}"));
        is_id.then_some(())?;
        text.truncate(start);
        trim_end(items, usize::MAX);
        Some(id)
    }
}

/// Joins the texts at the end, between which delimiters were.
fn join_last_texts(items: &mut Vec<InlineToken>) {
    let before = items.iter().rposition(|item| !matches!(item, InlineToken::Text(_)));
    let texts = items.drain(before.map_or(0, |last| last.saturating_add(1))..);
    let joined: String = texts
        .filter_map(|item| match item {
            InlineToken::Text(text) => Some(text),
            _ => None,
        })
        .collect();
    if !joined.is_empty() {
        items.push(InlineToken::Text(joined));
    }
}

/// Takes an anchor at the end: `<a href="#id" id="id"></a>`.
fn take_anchor(items: &mut Vec<InlineToken>) -> Option<String> {
    let [
        ..,
        InlineToken::Html(HtmlToken::Open(element)),
        InlineToken::Html(HtmlToken::Close { name, .. }),
    ] = items.as_slice()
    else {
        return None;
    };
    if element.name != "a" || name != "a" {
        return None;
    }
    let mut attributes = element.attributes.clone();
    let id = attributes
        .take_bounded("id", MAX_ID_LENGTH)
        .filter(|id| is_anchor(id))?;
    let href = attributes.take("href");
    if href.is_some_and(|href| href != format!("#{id}")) || !attributes.all_consumed() {
        return None;
    }
    items.truncate(items.len() - 2);
    // One space separates the anchor: others are of the text.
    trim_end(items, 1);
    Some(id)
}

const MAX_ID_LENGTH: usize = 320;

fn is_anchor(id: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.+_".contains(c);
    !id.is_empty() && id.chars().all(allowed)
}

/// Removes spaces at the end, at most this number.
fn trim_end(items: &mut Vec<InlineToken>, most: usize) {
    if let Some(InlineToken::Text(text)) = items.last_mut() {
        let spaces = text.len() - text.trim_end_matches(' ').len();
        text.truncate(text.len() - spaces.min(most));
        if text.is_empty() {
            items.pop();
        }
    }
}
