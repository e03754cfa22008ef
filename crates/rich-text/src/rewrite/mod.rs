//! Rewriting of link targets in Markdown. All other bytes stay as they are.
//!
//! The parser reports the positions of links and tags. The rewriter finds them in the source and compares before it
//! replaces; a link that it cannot find stays as it is.

mod block_tags;
mod edits;
mod html_links;
mod inline_links;
mod link_syntax;
mod link_uses;

use std::collections::{BTreeMap, HashSet};

use comrak::{Node, nodes::NodeValue};

use super::{
    error::DocumentError,
    limits::DocumentLimits,
    resolver::{ReferenceRole, is_safe_target},
    syntax::{
        block_tags::BlockTag,
        definition_pass, entities,
        escape::{self, EscapeContext, EscapeMode},
        link_definitions::LinkDefinitions,
        pieces::{Piece, Pieces},
        prepare::{self, Placeholder, PreparedSource},
        text_definitions::TextDefinitions,
    },
};
use edits::TextEdits;
pub use edits::continued;
use inline_links::ReferenceLink;
use link_uses::LinkUses;

/// The change of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkChange {
    Keep,
    Replace(String),
    /// Replace the target, and the words of a mention, a card or the link of a tag if they are `from`.
    ReplaceNamed {
        target: String,
        from: String,
        to: String,
    },
    /// Replace the whole tag by Markdown. Only for tags that include a text.
    ReplaceTag(String),
    /// Replace the link by its text, or the image by its alternative text.
    Unlink,
}

impl LinkChange {
    /// Returns the target that takes the place of this one.
    fn new_target(&self, target: &str) -> Option<&str> {
        match self {
            Self::Replace(new) | Self::ReplaceNamed { target: new, .. } => {
                Some(new.as_str()).filter(|new| *new != target)
            }
            Self::Keep | Self::ReplaceTag(_) | Self::Unlink => None,
        }
    }

    /// Returns the words that take the place of these.
    fn new_words(&self, words: &str) -> Option<&str> {
        match self {
            Self::ReplaceNamed { from, to, .. } if from == words => Some(to),
            _ => None,
        }
    }
}

/// The changes of the targets of a text, of which it may have many. A table that grows takes three times the memory for a
/// moment.
type TargetChanges = BTreeMap<(Box<str>, ReferenceRole), LinkChange>;

type ChangeTarget<'c> = &'c mut dyn FnMut(&str, ReferenceRole) -> LinkChange;

/// Asks `change` once for every target and role. Targets that could run in a browser
/// are unlinked unless they are replaced. Fails only where `parse` fails.
pub fn rewrite_links(markdown: &str, change: ChangeTarget<'_>) -> Result<String, DocumentError> {
    in_pieces(markdown, change, &Pieces::new)
}

pub(crate) fn in_pieces(
    markdown: &str,
    change: ChangeTarget<'_>,
    pieces: &dyn Fn() -> Pieces,
) -> Result<String, DocumentError> {
    let limits = DocumentLimits::default();
    // Offsets of definitions are those in a text with one kind of line ends.
    let definitions = match pieces().is_one(markdown) || markdown.contains('\r') {
        true => TextDefinitions::whole(markdown),
        false => definition_pass::collect(markdown, pieces(), &limits)?,
    };
    let mut changes = TargetChanges::new();
    let mut uses = LinkUses::default();
    // The change of a definition depends on its references, which may be anywhere.
    let has_definitions_elsewhere = !definitions.is_whole() && !definitions.is_empty();
    if has_definitions_elsewhere {
        each_piece(markdown, &definitions, pieces(), &mut |text, piece| {
            uses.add(&LinkRewriter::visiting(text, piece, change, &mut changes));
        })?;
    }
    let mut rewritten = String::with_capacity(markdown.len());
    each_piece(markdown, &definitions, pieces(), &mut |text, piece| {
        let mut rewriter = LinkRewriter::visiting(text, piece, change, &mut changes);
        if !has_definitions_elsewhere {
            uses = LinkUses::default();
            uses.add(&rewriter);
        }
        rewriter.rewrite_definitions(&uses, piece.range.len());
        rewritten.push_str(&rewriter.edits.apply());
    })?;
    Ok(rewritten)
}

/// Gives each piece of a text, and what it is parsed to, to `sink`.
fn each_piece(
    markdown: &str,
    definitions: &TextDefinitions,
    mut pieces: Pieces,
    sink: &mut dyn FnMut(&str, &Piece<'_>),
) -> Result<(), DocumentError> {
    let limits = DocumentLimits::default();
    loop {
        let next = pieces.next_text(markdown, definitions);
        let arena = next.arena(&limits);
        let Some(piece) = pieces.parse(&arena, next, &limits)? else {
            continue;
        };
        sink(markdown.get(piece.range.clone()).unwrap_or_default(), &piece);
        if piece.is_last {
            return Ok(());
        }
    }
}

/// Bytes to scan for each byte of the source at most, where positions are not exact.
const MAX_SCAN_FACTOR: usize = 16;

struct LinkRewriter<'a, 'w> {
    source: &'w PreparedSource,
    definitions: LinkDefinitions,
    change: ChangeTarget<'w>,
    changes: &'w mut TargetChanges,
    edits: TextEdits<'w>,
    /// Offsets of the targets found so far.
    found_targets: HashSet<usize>,
    /// The links with targets in link definitions.
    references: Vec<ReferenceLink>,
    /// The paragraph that repeats the target of the tag before it, and whether to change its text too.
    fallback: Option<(Node<'a>, bool)>,
    scan_budget: usize,
}

impl<'a, 'w> LinkRewriter<'a, 'w> {
    /// Visits the nodes of a piece.
    fn visiting(
        markdown: &'w str,
        piece: &'w Piece<'a>,
        change: ChangeTarget<'w>,
        changes: &'w mut TargetChanges,
    ) -> Self {
        let source = &piece.source;
        // Footnotes of other pieces are below.
        let is_within = |block: &Node<'_>| piece.start_of(block).is_none_or(|start| start < piece.range.end);
        let nodes = || {
            piece
                .root
                .children()
                .filter(is_within)
                .flat_map(|block| block.descendants())
        };
        let mut definitions = LinkDefinitions::default();
        if prepare::has_definitions(&source.text) {
            nodes().for_each(|node| definitions.collect(node, source));
            definitions.collect_between_blocks(source);
        }
        let mut rewriter = Self {
            source,
            definitions,
            change,
            changes,
            edits: TextEdits::new(markdown),
            found_targets: HashSet::new(),
            references: Vec::new(),
            fallback: None,
            scan_budget: source.text.len().saturating_mul(MAX_SCAN_FACTOR),
        };
        nodes().for_each(|node| rewriter.node(node));
        rewriter
    }

    fn node(&mut self, node: Node<'a>) {
        match &node.data().value {
            NodeValue::Paragraph | NodeValue::Heading(_) | NodeValue::TableCell => self.inline_content(node),
            NodeValue::HtmlBlock(html) => match self.source.placeholder(&html.literal) {
                Some(Placeholder::BlockTag(raw)) => {
                    if let Some(tag) = BlockTag::parse(raw) {
                        self.tag(node, &tag);
                    }
                }
                Some(Placeholder::Formula(_) | Placeholder::InlineTag(_)) => {}
                None => self.html_block(node, &html.literal),
            },
            _ => {}
        }
    }

    fn change_of(&mut self, target: &str, role: ReferenceRole) -> LinkChange {
        // Footnote links and empty targets stay as they are.
        if target.is_empty() || target.starts_with("#user-content-fn-") {
            return LinkChange::Keep;
        }
        let key = (Box::from(target), role);
        if let Some(change) = self.changes.get(&key) {
            return change.clone();
        }
        let change = match (self.change)(target, role) {
            LinkChange::Keep if !is_safe_target(role, target) => LinkChange::Unlink,
            LinkChange::Replace(new) if new == target => LinkChange::Keep,
            change => change,
        };
        self.changes.insert(key, change.clone());
        change
    }
}

/// Escapes text for Markdown.
fn escape_markdown(text: &str) -> String {
    let mut written = String::new();
    let context = EscapeContext {
        mode: EscapeMode::PipeCell,
        is_last: false,
    };
    escape::escape_text(text, context, &mut written);
    written
}

fn escape_destination(target: &str) -> String {
    let mut written = String::new();
    escape::escape_destination(target, &mut written);
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
