//! The comrak syntax tree of a Markdown text.

use openapi::error::ErrorRule;
use std::cell::Cell;

use comrak::{
    Arena, Node, Options,
    options::{Extension, Parse},
    try_parse_document,
};

use crate::{delimiters::delimited_columns, error::DocumentError};

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
    let mut count = 0;
    let mut in_code = false;
    let mut columns = 0;
    for line in text.lines() {
        columns = match delimited_columns(line) {
            _ if line.is_empty() => 0,
            0 => columns,
            delimited => delimited,
        };
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        in_code ^= is_fence;
        count += match line {
            _ if in_code && !is_fence => 0,
            "" => 0,
            line if columns > 0 => 1 + columns * NODES_OF_A_CELL + syntax_nodes(line) - bars(line) * NODES_OF_A_BAR,
            // The paragraph, which the definition takes the place of.
            line if line.starts_with('[') && line.contains("]:") => 1,
            // A line of code, most likely.
            line if line.starts_with("    ") && line.trim_start().starts_with(char::is_alphanumeric) => 0,
            // A line of an HTML block, most likely.
            line if line.trim_start().starts_with('<') => NODES_OF_A_LINE,
            line => NODES_OF_A_LINE + syntax_nodes(line),
        };
    }
    let with_slack = count + count / 16 + NODES_OF_A_TREE;
    Arena::with_capacity(with_slack.min(max_nodes.saturating_add(STEPS_PER_REPORT * NODES_OF_A_STEP)))
}

/// The document and the first blocks in it.
const NODES_OF_A_TREE: usize = 8;

/// The most nodes that a step of the parser adds.
const NODES_OF_A_STEP: usize = 8;

/// The text of a line and its end, or its block.
const NODES_OF_A_LINE: usize = 2;

/// A cell and its text.
const NODES_OF_A_CELL: usize = 2;

/// A cell, outside of tables that are known as such.
const NODES_OF_A_BAR: usize = 2;

fn bars(line: &str) -> usize {
    line.bytes().filter(|byte| *byte == b'|').count()
}

/// Returns about the number of nodes that the syntax in a line becomes.
fn syntax_nodes(line: &str) -> usize {
    let bytes = line.strip_suffix('\\').unwrap_or(line).bytes();
    let nodes = bytes.map(|byte| match byte {
        b'|' => NODES_OF_A_BAR,
        b'<' | b'[' | b'*' | b'_' | b'~' | b'\\' => 2,
        b'`' | b':' | b'$' | b'&' => 1,
        _ => 0,
    });
    nodes.sum()
}

pub fn too_many_nodes(limit: usize) -> DocumentError {
    let message = format!("A block of the Markdown, with all that is in it, has more than {limit} nodes.");
    DocumentError::new("", ErrorRule::TooManyNodes, message)
}
