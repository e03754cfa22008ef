//! Rich text: Markdown as it is stored, and the tree of nodes that clients read and write.
//!
//! `parse` and `render` are each other's inverse: Markdown → nodes → Markdown → nodes gives the same nodes, and so does
//! nodes → Markdown → nodes. `render` refuses what it cannot write so that it is read back alike; nothing is dropped.
//! The Markdown is CommonMark with tables, strikethrough, tasks, footnotes, emoji and formulas, with block tags such as
//! `{% hint style="info" %}`, and with a few elements of HTML. HTML that means nothing here is text.
//!
//! `text` gives the words for search, `links` what a document refers to, and `retarget` puts other targets into Markdown
//! without touching anything else.
//!
//! Everything here takes time in proportion to the input and nests no deeper than the limits say.

pub mod limits;
mod links;
mod nodes;
pub mod page;
mod parse;
mod places;
pub mod references;
pub mod refusal;
mod render;
mod reverting;
mod rewrite;
mod syntax;
#[cfg(test)]
mod tests;
mod text;

use std::collections::HashSet;

use openapi::models::Document;

pub use limits::Limits;
pub use links::{Link, links};
pub use page::FrontMatter;
pub use places::{has_block, has_cell};
pub use references::{Addresses, Ids, Resolver, Role};
pub use refusal::Refusal;
pub use reverting::revert_blocks;
pub use rewrite::{Change, retarget};
pub use syntax::ast::parse as parse_syntax;
pub use text::{Section, text};

/// The nodes of a text.
pub fn parse(markdown: &str, limits: &Limits) -> Result<Document, Refusal> {
    parse_with(markdown, limits, &Addresses)
}

pub fn parse_with(markdown: &str, limits: &Limits, resolver: &dyn Resolver) -> Result<Document, Refusal> {
    let mut document = parse::document(markdown, limits, resolver)?;
    nodes::anchors::assign(&mut document);
    nodes::keys::assign(&mut document, &HashSet::new(), limits)?;
    Ok(document)
}

/// The nodes of a text that was changed: those that stay keep the keys that they had.
pub fn parse_keeping(markdown: &str, previous: &Document) -> Result<Document, Refusal> {
    parse_keeping_with(markdown, previous, &Limits::default(), &Addresses)
}

pub fn parse_keeping_with(
    markdown: &str,
    previous: &Document,
    limits: &Limits,
    resolver: &dyn Resolver,
) -> Result<Document, Refusal> {
    let mut document = parse::document(markdown, limits, resolver)?;
    let kept = nodes::keys::keep(&mut document, previous);
    nodes::anchors::assign(&mut document);
    nodes::keys::assign(&mut document, &kept, limits)?;
    Ok(document)
}

/// The text of nodes.
pub fn render(document: &Document) -> Result<String, Refusal> {
    render_with(document, &Limits::default(), &Addresses)
}

/// The text is read back and compared: what would not be the same is refused.
pub fn render_with(document: &Document, limits: &Limits, resolver: &dyn Resolver) -> Result<String, Refusal> {
    let markdown = render::document(document, limits, resolver)?;
    let again = parse::document(&markdown, limits, resolver)?;
    let difference = nodes::digest::of_document(document).difference(&nodes::digest::of_document(&again));
    match difference {
        None => Ok(markdown),
        Some(pointer) => {
            let message = "This has no form in Markdown that would be read back alike.";
            Err(Refusal::new(pointer, "not-expressible", message))
        }
    }
}
