//! Rewriting of link targets in Markdown. All other bytes stay as they are.
//!
//! The parser reports the positions of links and tags. The rewriter finds them in the source and compares before it
//! replaces; a link that it cannot find stays as it is.

mod block_tags;
mod edits;
mod html_links;
mod inline_links;
mod link_syntax;

use std::collections::{HashMap, HashSet};

use comrak::{Arena, Node, nodes::NodeValue};

use super::{
    error::DocumentError,
    resolver::ReferenceRole,
    syntax::{
        ast, entities,
        escape::{self, EscapeContext, EscapeMode},
        link_definitions::LinkDefinitions,
        prepare::{Placeholder, PreparedSource},
    },
};
use edits::TextEdits;
use inline_links::ReferenceLink;

/// The change of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkChange {
    Keep,
    Replace(String),
    /// Replace the link by its text, or the image by its alternative text.
    Unlink,
}

/// Asks `change` once for every target and role. Fails only where `parse` fails.
pub fn rewrite_links(
    markdown: &str,
    change: &mut dyn FnMut(&str, ReferenceRole) -> LinkChange,
) -> Result<String, DocumentError> {
    let source = PreparedSource::new(markdown);
    let arena = Arena::new();
    let root = ast::parse(&arena, &source.text)?;
    let mut definitions = LinkDefinitions::default();
    for node in root.descendants() {
        definitions.note(node, &source);
    }
    definitions.note_lone(&source);
    let mut rewriter = LinkRewriter {
        source: &source,
        definitions,
        change,
        answers: HashMap::new(),
        edits: TextEdits::new(markdown),
        found: HashSet::new(),
        references: Vec::new(),
        repeating: None,
        scan_budget: source.text.len().saturating_mul(MAX_SCAN_FACTOR),
    };
    for node in root.descendants() {
        rewriter.node(node);
    }
    rewriter.define();
    Ok(rewriter.edits.apply())
}

/// Bytes to scan for each byte of the source at most, where positions are not exact.
const MAX_SCAN_FACTOR: usize = 16;

struct LinkRewriter<'a, 'w> {
    source: &'w PreparedSource,
    definitions: LinkDefinitions,
    change: &'w mut dyn FnMut(&str, ReferenceRole) -> LinkChange,
    answers: HashMap<(String, ReferenceRole), LinkChange>,
    edits: TextEdits<'w>,
    /// Offsets of the targets found so far.
    found: HashSet<usize>,
    /// The links with targets in link definitions.
    references: Vec<ReferenceLink>,
    /// The paragraph that repeats the target of the tag before it, and whether to change its text too.
    repeating: Option<(Node<'a>, bool)>,
    scan_budget: usize,
}

impl<'a> LinkRewriter<'a, '_> {
    fn node(&mut self, node: Node<'a>) {
        match &node.data().value {
            NodeValue::Paragraph | NodeValue::Heading(_) | NodeValue::TableCell => self.line(node),
            NodeValue::HtmlBlock(html) => match self.source.placeholder(&html.literal) {
                Some(Placeholder::BlockTag(tag)) => self.tag(node, tag),
                Some(Placeholder::Formula(_)) => {}
                None => self.html_block(node, &html.literal),
            },
            _ => {}
        }
    }

    fn ask(&mut self, target: &str, role: ReferenceRole) -> LinkChange {
        // Footnote links and empty targets stay as they are.
        if target.is_empty() || target.starts_with("#user-content-fn-") {
            return LinkChange::Keep;
        }
        let key = (target.to_owned(), role);
        if let Some(answer) = self.answers.get(&key) {
            return answer.clone();
        }
        let answer = match (self.change)(target, role) {
            LinkChange::Replace(new) if new == target => LinkChange::Keep,
            answer => answer,
        };
        self.answers.insert(key, answer.clone());
        answer
    }
}

/// Escapes text for Markdown.
fn words(text: &str) -> String {
    let mut written = String::new();
    let around = EscapeContext {
        mode: EscapeMode::PipeCell,
        ends: false,
    };
    escape::text(text, around, &mut written);
    written
}

fn destination(target: &str) -> String {
    let mut written = String::new();
    escape::destination(target, &mut written);
    written
}

/// Formats a quoted attribute value.
fn quoted(value: &str) -> String {
    let mut written = String::from("\"");
    entities::encode(value, &mut written);
    written.push('"');
    // In a block tag a backslash would escape the closing quote.
    written.replace('\\', "&#92;")
}
