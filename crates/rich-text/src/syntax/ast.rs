//! The comrak syntax tree of a Markdown text.

use openapi::error::ErrorRule;
use std::cell::Cell;

use comrak::{
    Arena, Node, Options,
    options::{Extension, Parse},
    try_parse_document,
};

use crate::error::DocumentError;

/// Maximum parser steps per byte: real texts take less than three.
const MAX_STEPS_PER_BYTE: usize = 32;
/// Steps between two reports of the parser.
const STEPS_PER_REPORT: usize = 256;

/// Parses the syntax tree in time linear in the length of the text. A tree of more than `max_nodes` nodes is an error.
pub fn parse<'a>(arena: &'a Arena<'a>, text: &str, max_nodes: usize) -> Result<Node<'a>, DocumentError> {
    let left = Cell::new(text.len().saturating_mul(MAX_STEPS_PER_BYTE) / STEPS_PER_REPORT + 1_000);
    let is_over_limit = || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0 || arena.len() > max_nodes
    };
    let options = Options {
        extension: Extension {
            strikethrough: true,
            table: true,
            tasklist: true,
            footnotes: true,
            math_dollars: true,
            shortcodes: true,
            autolink: true,
            ..Default::default()
        },
        parse: Parse {
            leave_footnote_definitions: true,
            // Escaped characters are no part of addresses and tags.
            escaped_char_spans: true,
            ..Default::default()
        },
        ..Default::default()
    };
    let parsed = try_parse_document(arena, text, &options, &is_over_limit);
    if arena.len() > max_nodes {
        return Err(too_many_nodes(max_nodes));
    }
    parsed.map_err(|_| {
        DocumentError::new(
            "",
            ErrorRule::TooComplex,
            "The Markdown is too complex: parsing it takes more steps than its length allows.",
        )
    })
}

/// Returns an arena for the syntax tree of a text. An arena that has to grow doubles, which takes up to three times the
/// memory of its nodes; one of about the right size does not grow.
pub fn arena<'a>(text: &str, max_nodes: usize) -> Arena<'a> {
    let mut count = NODES_OF_A_LINE;
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        count += match byte {
            b'\\' if bytes.peek() == Some(&b'\n') => 0,
            b'\n' | b'|' | b'<' | b'[' | b'*' | b'_' | b'~' | b'\\' => 2,
            b'`' | b':' | b'$' => 1,
            _ => 0,
        };
    }
    Arena::with_capacity(count.min(max_nodes.saturating_add(STEPS_PER_REPORT)))
}

/// The document, a paragraph and its text.
const NODES_OF_A_LINE: usize = 3;

pub fn too_many_nodes(limit: usize) -> DocumentError {
    let message = format!("A block of the Markdown, with all that is in it, has more than {limit} nodes.");
    DocumentError::new("", ErrorRule::TooManyNodes, message)
}
