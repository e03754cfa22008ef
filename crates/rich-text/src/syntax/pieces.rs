//! Division of a text into pieces, so that only the syntax tree of one piece is in memory.
//!
//! A piece ends before a line that belongs to no block above it, whatever follows. The parser decides: it parses a piece
//! with one more paragraph below it, and if that paragraph stands alone, nothing is open at the end of the piece.

use std::ops::Range;

use comrak::{Arena, Node, nodes::NodeValue};

use super::{
    ast,
    block_tags::BlockTag,
    prepare::{Placeholder, PreparedSource},
};
use crate::{error::DocumentError, limits::DocumentLimits};

/// The least bytes of a piece, unless the text ends. A piece whose end is not the end of its blocks grows by half.
const PIECE_BYTES: usize = 8 * 1024;

/// The paragraph below a piece.
const SENTINEL: &str = "a\n";

/// A text that is being divided.
pub struct Pieces {
    at: usize,
    least: usize,
    length: usize,
}

/// A piece that was parsed.
pub struct Piece<'a> {
    pub source: PreparedSource,
    pub root: Node<'a>,
    /// The range of the piece in the text.
    pub range: Range<usize>,
    pub is_last: bool,
}

impl Pieces {
    pub fn new() -> Self {
        Self::of_at_least(PIECE_BYTES)
    }

    pub fn of_at_least(least: usize) -> Self {
        Self {
            at: 0,
            least,
            length: least,
        }
    }

    /// Returns an arena for the syntax tree of the next piece.
    pub fn arena<'a>(&self, text: &str, limits: &DocumentLimits) -> Arena<'a> {
        let length = self.next_length(text);
        let piece = text.get(self.at..self.at + length).unwrap_or_default();
        ast::arena(piece, max_nodes(length, limits))
    }

    /// Returns the length of the next piece.
    fn next_length(&self, text: &str) -> usize {
        let rest = text.get(self.at..).unwrap_or_default();
        match has_definitions(text) {
            // Definitions apply to the whole text.
            true => rest.len(),
            false => piece_length(rest, self.length),
        }
    }

    /// Parses the next piece. `None`: the blocks do not end where the piece does, so the piece is longer in the next
    /// attempt, which needs a new arena.
    pub fn parse<'a>(
        &mut self,
        arena: &'a Arena<'a>,
        text: &str,
        limits: &DocumentLimits,
    ) -> Result<Option<Piece<'a>>, DocumentError> {
        let rest = text.get(self.at..).unwrap_or_default();
        let length = self.next_length(text);
        let (piece, following) = rest.split_at(length);
        let range = self.at..self.at + length;
        let is_last = following.is_empty();
        let source = match is_last {
            true => PreparedSource::new(piece),
            false => PreparedSource::new(&format!("{piece}{SENTINEL}")),
        };
        let root = ast::parse(arena, &source.text, max_nodes(length, limits))?;
        if !is_last && (source.is_open || !ends_alone(root, &source, following)) {
            self.length = length.saturating_add(length / 2 + 1);
            return Ok(None);
        }
        self.at = range.end;
        self.length = self.least;
        Ok(Some(Piece {
            source,
            root,
            range,
            is_last,
        }))
    }
}

/// Returns the most syntax nodes of a piece of this length.
fn max_nodes(length: usize, limits: &DocumentLimits) -> usize {
    limits.nodes.saturating_add(length / 10)
}

/// Returns whether a text may have link or footnote definitions.
pub fn has_definitions(text: &str) -> bool {
    text.contains("]:")
}

/// Returns the length of a piece of about `least` bytes that ends with an empty line, or between two tags of which the first
/// one closes a block.
fn piece_length(text: &str, least: usize) -> usize {
    let mut from = least.min(text.len());
    while !text.is_char_boundary(from) {
        from += 1;
    }
    while let Some(found) = text.get(from..).and_then(next_boundary) {
        let lines = text.get(from + found..).unwrap_or_default();
        let following = lines.trim_start_matches('\n');
        from = text.len() - following.len();
        if begins_block(following) && (found_empty_line(lines) || ends_with_closing_tag(text.get(..from))) {
            return from;
        }
    }
    text.len()
}

/// Returns the offset of the line end before the next empty line or tag.
fn next_boundary(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text.get(at..)?.find('\n')?;
        let after = text.get(at + 1..)?;
        if after.starts_with('\n') || after.starts_with("{%") {
            return Some(at);
        }
        at += 1;
    }
}

fn found_empty_line(lines: &str) -> bool {
    lines.starts_with("\n\n")
}

/// Returns whether the last line of a text is a closing tag.
fn ends_with_closing_tag(text: Option<&str>) -> bool {
    let line = text.and_then(|text| text.lines().next_back());
    line.and_then(BlockTag::parse).is_some_and(|tag| tag.closing)
}

/// Returns whether a line after an empty one can only begin a block, or continue a list.
fn begins_block(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_whitespace() || c == '=') && !text.is_empty()
}

/// Returns whether a line may begin an item of a list.
fn begins_item(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.len() == text.len() {
        true => {
            let after = rest.strip_prefix(['-', '+', '*']);
            after.is_some_and(|after| after.is_empty() || after.starts_with([' ', '\t', '\n']))
        }
        false => rest.starts_with(['.', ')']),
    }
}

/// Removes the sentinel. Returns whether it was a block of its own, and what follows begins another block as well.
fn ends_alone(root: Node<'_>, source: &PreparedSource, following: &str) -> bool {
    let Some(sentinel) = root.last_child() else {
        return false;
    };
    let is_paragraph = matches!(sentinel.data().value, NodeValue::Paragraph);
    let is_single_line = {
        let position = sentinel.data().sourcepos;
        position.start.line == position.end.line && position.start.column == 1 && position.end.column == 1
    };
    if !is_paragraph || !is_single_line {
        return false;
    }
    let continues = |node: Node<'_>| match &node.data().value {
        NodeValue::List(_) => begins_item(following),
        // The lines after an opening tag may belong to the tag.
        NodeValue::HtmlBlock(html) => match source.placeholder(&html.literal) {
            Some(Placeholder::BlockTag(raw)) => BlockTag::parse(raw).is_none_or(|tag| !tag.closing),
            Some(Placeholder::Formula(_) | Placeholder::InlineTag(_)) => true,
            None => false,
        },
        _ => false,
    };
    if sentinel.previous_sibling().is_some_and(continues) {
        return false;
    }
    sentinel.detach();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let mut pieces = Pieces::new();
        let mut found = Vec::new();
        loop {
            let arena = pieces.arena(text, &DocumentLimits::default());
            let parsed = pieces.parse(&arena, text, &DocumentLimits::default()).unwrap();
            let Some(piece) = parsed else { continue };
            found.push(text[piece.range].to_owned());
            if piece.is_last {
                return found;
            }
        }
    }

    #[test]
    fn a_piece_ends_where_its_blocks_end() {
        let long = "word ".repeat(PIECE_BYTES / 5 + 1);
        for (before, after, count) in [
            ("", "b", 3),
            ("", "  b", 3),
            ("* ", "* b", 2),
            ("* ", "b", 3),
            ("* ", "---", 3),
            ("* ", "**b**", 3),
            ("1. ", "2. b", 2),
            ("* ", "  b", 3),
            ("> ", "> b", 3),
            ("```\n", "b\n```", 2),
            ("```\n", "b", 1),
            ("$$\n", "b\n\n$$", 2),
            ("$$\n", "b", 1),
            ("<!--\n", "b\n-->", 2),
            ("<!--\n", "b", 1),
            ("{% hint %}\n", "b\n{% endhint %}", 3),
            ("", "{% hint %}\nb\n{% endhint %}", 3),
            ("<p>a</p>\n", "<p>b</p>", 3),
            ("[a]: ", "b", 1),
        ] {
            let text = format!("{before}{long}\n\n{after}\n\n{long}\n\nend");
            let found = pieces(&text);
            assert_eq!(found.concat(), text);
            assert_eq!(found.len(), count, "{before:?} {after:?}");
        }
        let hints = format!("{{% hint %}}\n{long}\n{{% endhint %}}\n").repeat(3);
        assert_eq!(pieces(&hints).len(), 3);
    }
}
