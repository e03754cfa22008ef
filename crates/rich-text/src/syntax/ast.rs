//! The syntax tree of a Markdown text, made by comrak.

use std::cell::Cell;

use comrak::{
    Arena, Node, Options,
    options::{Extension, Parse},
    try_parse_document,
};

use crate::refusal::Refusal;

/// Steps of the parser per byte, beyond which a text is refused: real texts take less than three.
const STEPS: usize = 32;
/// The parser reports each time after so many steps.
const REPORTED: usize = 256;

/// The syntax tree of a text, in time proportional to its length.
pub fn parse<'a>(arena: &'a Arena<'a>, text: &str) -> Result<Node<'a>, Refusal> {
    let left = Cell::new(text.len().saturating_mul(STEPS) / REPORTED + 1_000);
    let spent = || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    };
    let options = Options {
        extension: Extension {
            strikethrough: true,
            table: true,
            tasklist: true,
            footnotes: true,
            math_dollars: true,
            shortcodes: true,
            ..Default::default()
        },
        parse: Parse {
            leave_footnote_definitions: true,
            ..Default::default()
        },
        ..Default::default()
    };
    try_parse_document(arena, text, &options, &spent)
        .map_err(|_| Refusal::new("", "too-complex", "The text takes more work than its length allows."))
}
