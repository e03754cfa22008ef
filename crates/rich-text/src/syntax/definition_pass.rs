//! The pass over a text that collects its link and footnote definitions, piece by piece.

use comrak::nodes::NodeValue;

use super::{
    link_definitions::LinkDefinitions,
    pieces::{Piece, Pieces},
    prepare::has_definitions,
    text_definitions::TextDefinitions,
};
use crate::{error::DocumentError, limits::DocumentLimits};

pub fn collect(text: &str, pieces: Pieces, limits: &DocumentLimits) -> Result<TextDefinitions, DocumentError> {
    let (mut found, mut pieces) = (TextDefinitions::default(), pieces.probing_end());
    if !has_definitions(text) {
        return Ok(found);
    }
    loop {
        let next = pieces.next_text(text, &TextDefinitions::default());
        let arena = next.arena(limits);
        let Some(piece) = pieces.parse(&arena, next, limits)? else {
            continue;
        };
        if has_definitions(&piece.source.text) {
            add_links(&mut found, &piece, text);
            add_footnotes(&mut found, &piece);
        }
        if piece.is_last {
            found.keep_whole_if(piece.is_open);
            return Ok(if found.is_empty() {
                TextDefinitions::default()
            } else {
                found
            });
        }
    }
}

fn add_links(found: &mut TextDefinitions, piece: &Piece<'_>, text: &str) {
    let mut definitions = LinkDefinitions::default();
    for node in piece.root.descendants() {
        definitions.collect(node, &piece.source);
    }
    definitions.collect_between_blocks(&piece.source);
    for definition in definitions.all() {
        if let Some(at) = piece.text_range(&definition.at) {
            found.add_link(text, &at, &definition.target, &piece.range);
        }
    }
}

fn add_footnotes(found: &mut TextDefinitions, piece: &Piece<'_>) {
    for node in piece.root.descendants() {
        let is_footnote = matches!(node.data().value, NodeValue::FootnoteDefinition(_));
        let is_inner = !node.parent().is_some_and(|parent| parent.same_node(piece.root));
        found.keep_whole_if(is_footnote && is_inner);
    }
    let mut blocks = piece.root.children().peekable();
    while let Some(block) = blocks.next() {
        let value = &block.data().value;
        let NodeValue::FootnoteDefinition(footnote) = value else {
            continue;
        };
        let start = piece.start_of(block);
        let end = blocks.peek().map_or(Some(piece.range.end), |next| piece.start_of(next));
        match (start, end) {
            (Some(start), Some(end)) if start < end => found.add_footnote(start..end, &footnote.name),
            _ => found.keep_whole_if(true),
        }
    }
}
