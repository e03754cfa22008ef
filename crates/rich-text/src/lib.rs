//! Rich text: Markdown as stored, and the node tree that clients read and write.
//!
//! `parse` and `render` round-trip: Markdown → nodes → Markdown → nodes gives the same nodes, and so does nodes →
//! Markdown → nodes. `render` returns an error for a document that cannot round-trip; it drops nothing. The Markdown is
//! CommonMark with tables, strikethrough, task lists, footnotes, emoji shortcodes and math, with block tags such as `{%
//! hint style="info" %}`, and with some HTML elements. Any other HTML is text.
//!
//! `extract_sections` returns the plain text for search, `extract_links` the references of a document, and
//! `rewrite_links` replaces link targets in Markdown and leaves every other byte as it is. `evaluate_block` puts the
//! values of expressions and conditions in their places; somebody else computes them.
//!
//! All functions run in time linear in the input, and nest no deeper than the limits. Markdown is parsed in pieces, so that
//! the memory of a parse does not grow with the number of its blocks; `DocumentStream` keeps none of them.

mod addresses;
mod block_languages;
mod conditions;
mod delimiters;
pub mod error;
mod evaluate;
mod extraction;
pub mod front_matter;
mod includes;
pub mod limits;
mod links;
mod lookup;
mod nodes;
pub mod page_source;
mod parse;
mod render;
pub mod resolver;
mod revert;
mod rewrite;
mod sections;
mod stream;
mod syntax;
pub mod tables;
mod targets;
#[cfg(test)]
mod tests;
mod unknown;

use std::collections::{HashMap, HashSet};

use nodes::{
    anchors::{AnchorAssigner, anchor_key, older_keys},
    digest,
    keys::KeyAssigner,
    node::{AsNode, DocumentNode},
};
use openapi::error::ErrorRule;
use openapi::models::{Document, DocumentBlock, DocumentData};
use parse::BlockParser;

pub use addresses::{has_scheme, joined};
pub use block_languages::{BlockLanguage, BlockLanguages};
pub use conditions::{BlockCondition, check_with_conditions, invalid_conditions};
pub use error::DocumentError;
pub use evaluate::{
    ExpressionSources, ExpressionValue, ExpressionValues, evaluate_block, evaluate_markdown, may_have_expressions,
};
pub use extraction::{Extraction, extract};
pub use front_matter::FrontMatter;
pub use includes::expand_includes;
pub use limits::DocumentLimits;
pub use links::{DocumentLink, extract_links};
pub use lookup::{embedded, has_block, has_cell, references, text_bytes};
pub use nodes::builders::{openapi_operation, openapi_schemas, openapi_webhook};
pub use nodes::emoji::{canonical_emoji_code, emoji_characters, emoji_of_shortcode};
pub use nodes::{
    anchors::{is_anchor_of, slug_letters},
    transliteration::words_of_sign,
};
pub use nodes::{plain_text::of_inlines as plain_text, unions::BlockUnion};
pub use resolver::{IdPathResolver, LinkResolver, ReferenceRole, UrlResolver, from_media, into_media, is_safe_target};
pub use revert::revert_blocks;
pub use rewrite::{LinkChange, continued, rewrite_links};
pub use sections::{TextSection, extract_sections};
pub use stream::DocumentStream;
pub use syntax::ast::parse as parse_syntax;
pub use targets::unsafe_targets;
pub use unknown::unknown_syntax;

/// Parses Markdown into nodes.
pub fn parse(markdown: &str, limits: &DocumentLimits) -> Result<Document, DocumentError> {
    parse_with(markdown, limits, &UrlResolver)
}

pub fn parse_with(
    markdown: &str,
    limits: &DocumentLimits,
    resolver: &dyn LinkResolver,
) -> Result<Document, DocumentError> {
    let mut nodes = Vec::new();
    let mut stream = DocumentStream::new(markdown, limits, resolver)?;
    stream.for_each(&mut |block| nodes.push(block))?;
    Ok(document_of(nodes))
}

/// The anchors of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentAnchors {
    anchors: HashSet<String>,
    /// The first anchor with each key.
    by_key: HashMap<String, String>,
    /// The first anchor with each older key that differs from its key.
    by_older_key: HashMap<String, String>,
    /// `true` if the document includes content with unknown anchors.
    pub has_included: bool,
}

impl DocumentAnchors {
    /// Returns whether an anchor, or an older form of one, leads to a place in the document.
    pub fn has(&self, anchor: &str) -> bool {
        self.has_included || self.find(anchor).is_some()
    }

    /// Returns the anchor that a link means, which may have an older form of it.
    pub fn find(&self, anchor: &str) -> Option<&str> {
        if let Some(exact) = self.anchors.get(anchor) {
            return Some(exact);
        }
        let key = anchor_key(anchor);
        let found = self.by_key.get(&key).or_else(|| self.by_older_key.get(&key));
        found.map(String::as_str)
    }

    /// The approximate bytes of the anchors.
    pub fn bytes(&self) -> usize {
        let bytes: usize = self
            .anchors
            .iter()
            .map(|anchor| anchor.len() + size_of::<String>())
            .sum();
        let older = self.by_older_key.iter();
        let older: usize = older
            .map(|(key, anchor)| key.len() + anchor.len() + 2 * size_of::<String>())
            .sum();
        // Once as they are, and once with their keys.
        bytes * 3 + older + size_of::<Self>()
    }

    fn add(&mut self, node: &dyn DocumentNode) {
        if let Some(anchor) = node.anchor_id() {
            self.anchors.insert(anchor.to_owned());
            let key = anchor_key(anchor);
            if node.name().starts_with("heading-") {
                let mut heading = String::new();
                append_text(node, &mut heading);
                for older in older_keys(&heading) {
                    if !older.is_empty() && older != key {
                        self.by_older_key.entry(older).or_insert_with(|| anchor.to_owned());
                    }
                }
            }
            if !key.is_empty() {
                self.by_key.entry(key).or_insert_with(|| anchor.to_owned());
            }
        }
        self.has_included |= matches!(
            node.name(),
            "reusable-content" | "swagger" | "openapi-operation" | "openapi-schemas" | "openapi-webhook"
        );
        for child in node.children() {
            self.add(child.node);
        }
    }
}

fn append_text(node: &dyn DocumentNode, text: &mut String) {
    let leaves = node.text().into_iter().flat_map(|text| &text.leaves);
    text.extend(leaves.map(|leaf| leaf.text.as_str()));
    for child in node.children() {
        append_text(child.node, text);
    }
}

/// Returns the anchors of Markdown, without all its nodes in memory at once.
pub fn extract_anchors(markdown: &str, limits: &DocumentLimits) -> Result<DocumentAnchors, DocumentError> {
    let mut found = DocumentAnchors::default();
    DocumentStream::new(markdown, limits, &UrlResolver)?.for_each(&mut |block| found.add(block.as_node()))?;
    Ok(found)
}

/// Fails where `parse_with` fails, and keeps no nodes.
pub fn check(markdown: &str, limits: &DocumentLimits) -> Result<(), DocumentError> {
    DocumentStream::new(markdown, limits, &UrlResolver)?.for_each(&mut drop)
}

fn document_of(nodes: Vec<DocumentBlock>) -> Document {
    Document {
        object: Default::default(),
        data: DocumentData {
            schema_version: None,
            additional: Default::default(),
        },
        nodes,
        meta: None,
    }
}

/// Parses Markdown that was edited: unchanged nodes keep the keys of the previous document.
pub fn parse_keeping(markdown: &str, previous: &Document) -> Result<Document, DocumentError> {
    parse_keeping_with(markdown, previous, &DocumentLimits::default(), &UrlResolver)
}

pub fn parse_keeping_with(
    markdown: &str,
    previous: &Document,
    limits: &DocumentLimits,
    resolver: &dyn LinkResolver,
) -> Result<Document, DocumentError> {
    let mut document = parse_bare(markdown, limits, resolver)?;
    let inherited = nodes::keys::inherit_keys(&mut document, previous);
    let (mut anchors, mut keys) = (AnchorAssigner::default(), KeyAssigner::new(inherited, *limits));
    for block in &mut document.nodes {
        anchors.assign(block.as_node_mut());
        keys.assign(block)?;
    }
    Ok(document)
}

/// Parses nodes without keys and anchors.
fn parse_bare(markdown: &str, limits: &DocumentLimits, resolver: &dyn LinkResolver) -> Result<Document, DocumentError> {
    let mut nodes = Vec::new();
    let mut parser = BlockParser::new(markdown.into(), limits, resolver)?;
    let mut push = |block| {
        nodes.push(block);
        Ok(())
    };
    while parser.next_piece(&mut push)? {}
    Ok(document_of(nodes))
}

/// Renders nodes as Markdown.
pub fn render(document: &Document) -> Result<String, DocumentError> {
    render_with(document, &DocumentLimits::default(), &UrlResolver)
}

/// Renders nodes as Markdown, parses the result again and compares: a difference is an error.
pub fn render_with(
    document: &Document,
    limits: &DocumentLimits,
    resolver: &dyn LinkResolver,
) -> Result<String, DocumentError> {
    let mut pointer = String::new();
    // A footnote can be too long for all its references to repeat it.
    for shares_footnotes in [true, false] {
        let markdown = render::document(document, limits, resolver, shares_footnotes)?;
        match first_difference(document, &markdown, limits, resolver)? {
            None => return Ok(markdown),
            Some(difference) => pointer = difference,
        }
    }
    let message = "Markdown cannot express this node: the rendered text parses to a different node.";
    Err(DocumentError::new(pointer, ErrorRule::NotExpressible, message))
}

/// Returns the JSON pointer of the first difference between a document and Markdown, which is parsed piece by piece.
fn first_difference(
    document: &Document,
    markdown: &str,
    limits: &DocumentLimits,
    resolver: &dyn LinkResolver,
) -> Result<Option<String>, DocumentError> {
    let mut parser = BlockParser::new(markdown.into(), limits, resolver)?;
    let (mut found, mut count) = (None, 0);
    let mut compare = |block: DocumentBlock| {
        if found.is_none() {
            found = match document.nodes.get(count) {
                Some(expected) => digest::first_difference(expected.as_node(), block.as_node())
                    .map(|rest| format!("/nodes/{count}{rest}")),
                None => Some(String::new()),
            };
        }
        count += 1;
        Ok(())
    };
    while parser.next_piece(&mut compare)? {}
    let is_missing = found.is_none() && count < document.nodes.len();
    Ok(found.or_else(|| is_missing.then(|| format!("/nodes/{count}"))))
}
