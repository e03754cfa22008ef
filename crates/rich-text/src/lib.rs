//! Rich text: Markdown as stored, and the node tree that clients read and write.
//!
//! `parse` and `render` round-trip: Markdown → nodes → Markdown → nodes gives the same nodes, and so does nodes →
//! Markdown → nodes. `render` returns an error for a document that cannot round-trip; it drops nothing. The Markdown is
//! CommonMark with tables, strikethrough, task lists, footnotes, emoji shortcodes and math, with block tags such as `{%
//! hint style="info" %}`, and with some HTML elements. Any other HTML is text.
//!
//! `extract_sections` returns the plain text for search, `extract_links` the references of a document, and
//! `rewrite_links` replaces link targets in Markdown and leaves every other byte as it is.
//!
//! All functions run in time linear in the input, and nest no deeper than the limits.

pub mod error;
pub mod front_matter;
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
mod syntax;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use openapi::models::Document;

pub use error::DocumentError;
pub use front_matter::FrontMatter;
pub use limits::DocumentLimits;
pub use links::{DocumentLink, extract_links};
pub use lookup::{has_block, has_cell};
pub use nodes::emoji::canonical_emoji_code;
pub use resolver::{IdPathResolver, LinkResolver, ReferenceRole, UrlResolver};
pub use revert::revert_blocks;
pub use rewrite::{LinkChange, rewrite_links};
pub use sections::{TextSection, extract_sections};
pub use syntax::ast::parse as parse_syntax;

/// Parses Markdown into nodes.
pub fn parse(markdown: &str, limits: &DocumentLimits) -> Result<Document, DocumentError> {
    parse_with(markdown, limits, &UrlResolver)
}

pub fn parse_with(
    markdown: &str,
    limits: &DocumentLimits,
    resolver: &dyn LinkResolver,
) -> Result<Document, DocumentError> {
    let mut document = parse::document(markdown, limits, resolver)?;
    nodes::anchors::assign_anchors(&mut document);
    nodes::keys::assign_keys(&mut document, &HashSet::new(), limits)?;
    Ok(document)
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
    let mut document = parse::document(markdown, limits, resolver)?;
    let inherited = nodes::keys::inherit_keys(&mut document, previous);
    nodes::anchors::assign_anchors(&mut document);
    nodes::keys::assign_keys(&mut document, &inherited, limits)?;
    Ok(document)
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
    let markdown = render::document(document, limits, resolver)?;
    let reparsed = parse::document(&markdown, limits, resolver)?;
    let difference =
        nodes::digest::digest_document(document).first_difference(&nodes::digest::digest_document(&reparsed));
    match difference {
        None => Ok(markdown),
        Some(pointer) => {
            let message = "Markdown cannot express this node: the rendered text parses to a different node.";
            Err(DocumentError::new(pointer, "not-expressible", message))
        }
    }
}
