//! Division of a text into pieces, so that only the syntax tree of one piece is in memory.
//!
//! A piece ends before a line that belongs to no block above it, whatever follows. The parser decides: it parses a piece
//! with one more paragraph below it, and if that paragraph stands alone, nothing is open at the end of the piece. The
//! definitions of other pieces that a piece refers to are parsed below that paragraph.

use std::{borrow::Cow, ops::Range};

use comrak::{
    Arena, Node,
    nodes::{NodeCodeBlock, NodeValue},
};

use super::{
    ast,
    block_tags::BlockTag,
    prepare::{Placeholder, PreparedSource, prefix_length},
    text_definitions::{FurtherSource, TextDefinitions},
};
use crate::{error::DocumentError, limits::DocumentLimits};

/// The least bytes of a piece, unless the text ends. A piece whose end is not the end of its blocks grows by half.
const PIECE_BYTES: usize = 8 * 1024;

/// The paragraph below a piece.
const SENTINEL: &str = "a\n";

const END_OF_BLOCK: &str = "\n\n";

/// A text that is being divided.
pub struct Pieces {
    at: usize,
    least: usize,
    length: usize,
    /// The length of the next attempt is that to the end of a block of code.
    is_end_of_code: bool,
    /// The last piece is parsed with a paragraph below it too, which shows whether one of its blocks is open.
    probes_end: bool,
}

/// The text of a piece before it is parsed.
pub struct PieceText<'t> {
    range: Range<usize>,
    /// The piece, the paragraph below it, and the definitions of other pieces that it refers to.
    text: Cow<'t, str>,
    /// Offset of the paragraph below the piece.
    sentinel: Option<usize>,
    following: &'t str,
    offsets: PieceOffsets,
}

/// The offsets of the parts of a piece and of the definitions below it, each there and in the whole text.
pub struct PieceOffsets(Vec<(usize, usize)>);

impl PieceOffsets {
    /// Returns the offset in the whole text of an offset in the text of the piece.
    pub fn text_offset(&self, at: usize) -> usize {
        let part = self.0.partition_point(|(start, _)| *start <= at).checked_sub(1);
        let part = part.and_then(|part| self.0.get(part));
        part.map_or(at, |(start, offset)| offset + (at - start))
    }
}

impl<'t> PieceText<'t> {
    fn new(text: &'t str, range: Range<usize>, separator: &str, further: &FurtherSource) -> Self {
        let piece = text.get(range.clone()).unwrap_or_default();
        let sentinel = piece.len() + separator.len();
        let below = sentinel + SENTINEL.len();
        let parts = further.offsets.iter().map(|(at, offset)| (below + at, *offset));
        Self {
            text: Cow::Owned(format!("{piece}{separator}{SENTINEL}{}", further.text)),
            sentinel: Some(sentinel),
            following: text.get(range.end..).unwrap_or_default(),
            offsets: PieceOffsets(std::iter::once((0, range.start)).chain(parts).collect()),
            range,
        }
    }
}

impl PieceText<'_> {
    /// Returns an arena for the syntax tree.
    pub fn arena<'a>(&self, limits: &DocumentLimits) -> Arena<'a> {
        ast::arena(&self.text, limits.nodes)
    }
}

/// A piece that was parsed.
pub struct Piece<'a> {
    pub source: PreparedSource,
    pub root: Node<'a>,
    /// The range of the piece in the text.
    pub range: Range<usize>,
    pub is_last: bool,
    /// The text ends within a block to which further text would belong.
    pub is_open: bool,
    pub offsets: PieceOffsets,
}

impl Piece<'_> {
    /// Returns the range in the text of a range of the prepared source.
    pub fn text_range(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let offset = |at: usize| Some(self.range.start + self.source.source_offset(at)?);
        Some(offset(range.start)?..offset(range.end)?)
    }

    /// Returns the offset in the text of the line that a block begins with.
    pub fn start_of(&self, block: Node<'_>) -> Option<usize> {
        let (at, _) = self.source.line(block.data().sourcepos.start.line.checked_sub(1)?)?;
        Some(self.range.start + self.source.source_offset(at)?)
    }
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
            is_end_of_code: false,
            probes_end: false,
        }
    }

    /// Returns whether a text is one piece.
    pub fn is_one(&self, text: &str) -> bool {
        text.len() <= self.least
    }

    /// Finds out whether the text ends within a block.
    pub fn probing_end(mut self) -> Self {
        self.probes_end = true;
        self
    }

    /// Returns the text of the next piece.
    pub fn next_text<'t>(&mut self, text: &'t str, definitions: &TextDefinitions) -> PieceText<'t> {
        let rest = text.get(self.at..).unwrap_or_default();
        loop {
            let length = match definitions.is_whole() {
                true => rest.len(),
                false => piece_length(rest, self.length),
            };
            let (piece, following) = rest.split_at(length);
            let range = self.at..self.at + length;
            let further = definitions.source_for(text, &range);
            // A definition that many pieces refer to is parsed with each of them, so they are no shorter.
            if further.text.len() > length && !following.is_empty() {
                self.length = further.text.len();
                continue;
            }
            if following.is_empty() && further.text.is_empty() && !self.probes_end {
                return PieceText {
                    text: Cow::Borrowed(piece),
                    sentinel: None,
                    following,
                    offsets: PieceOffsets(vec![(0, range.start)]),
                    range,
                };
            }
            // The text may end with a line of a paragraph.
            let separator = if following.is_empty() { END_OF_BLOCK } else { "" };
            return PieceText::new(text, range, separator, &further);
        }
    }

    /// Returns the text of blocks in a range, which are parsed once more.
    pub fn text_of<'t>(&self, text: &'t str, range: Range<usize>, definitions: &TextDefinitions) -> PieceText<'t> {
        let further = definitions.source_for(text, &range);
        let blocks = PieceText::new(text, range, END_OF_BLOCK, &further);
        PieceText {
            following: "",
            ..blocks
        }
    }

    /// Parses the next piece. `None`: the blocks do not end where the piece does, so the piece is longer in the next
    /// attempt.
    pub fn parse<'a>(
        &mut self,
        arena: &'a Arena<'a>,
        next: PieceText<'_>,
        limits: &DocumentLimits,
    ) -> Result<Option<Piece<'a>>, DocumentError> {
        let source = PreparedSource::new(&next.text);
        // The parser takes many bytes for each line of a block, and tells their number only after it.
        if limits.counts_contents && source.longest_literal > limits.max_code_lines() {
            return Err(ast::too_many_nodes(limits.max_code_lines()));
        }
        let root = ast::parse(arena, &source.text, limits.nodes)?;
        let is_last = next.following.is_empty();
        let ends = |sentinel| remove_sentinel(root, &source, sentinel, next.following);
        let is_open = next.sentinel.is_some_and(|sentinel| !ends(sentinel) || source.is_open);
        if is_open && !is_last {
            let length = next.range.len();
            let end_of_code = end_of_code(root, next.following, length).filter(|_| !self.is_end_of_code);
            self.is_end_of_code = end_of_code.is_some();
            self.length = length.saturating_add(end_of_code.unwrap_or(length / 2 + 1));
            return Ok(None);
        }
        self.is_end_of_code = false;
        self.at = next.range.end;
        self.length = self.least;
        Ok(Some(Piece {
            source,
            root,
            range: next.range,
            is_last,
            is_open,
            offsets: next.offsets,
        }))
    }
}

/// Returns the length of what follows a piece up to the end of the block of code that the piece ends in, if that is near.
fn end_of_code(root: Node<'_>, following: &str, most: usize) -> Option<usize> {
    let mut last = root;
    while let Some(child) = last.last_child() {
        last = child;
    }
    let data = last.data();
    let code = match &data.value {
        NodeValue::CodeBlock(code) if code.fenced && !code.closed => code,
        _ => return None,
    };
    let mut end = 0;
    for line in following.split('\n') {
        end += line.len();
        if end > most {
            return None;
        }
        if is_end_of_fence(line, code) {
            return Some(end);
        }
        end += 1;
    }
    None
}

fn is_end_of_fence(line: &str, code: &NodeCodeBlock) -> bool {
    let bare = line.get(prefix_length(line)..).unwrap_or_default();
    bare.bytes().take_while(|byte| *byte == code.fence_char).count() >= code.fence_length
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
    text.and_then(|text| text.lines().next_back())
        .is_some_and(is_closing_tag)
}

fn begins_with_closing_tag(text: &str) -> bool {
    text.lines().next().is_some_and(is_closing_tag)
}

fn is_closing_tag(line: &str) -> bool {
    BlockTag::parse(line).is_some_and(|tag| tag.closing)
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

/// Removes the sentinel, and what the definitions below it leave besides footnotes. Returns whether the sentinel was a block
/// of its own, and what follows the piece begins another block as well.
fn remove_sentinel(root: Node<'_>, source: &PreparedSource, sentinel: usize, following: &str) -> bool {
    let is_sentinel = |node: &Node<'_>| {
        let position = node.data().sourcepos;
        position.start.line == position.end.line
            && position.start.column == 1
            && position.end.column == 1
            && matches!(node.data().value, NodeValue::Paragraph)
            && source.offset(position.start).and_then(|at| source.source_offset(at)) == Some(sentinel)
    };
    let mut below = Vec::new();
    let Some(sentinel) = root.reverse_children().find(|node| {
        let is_sentinel = is_sentinel(node);
        if !matches!(node.data().value, NodeValue::FootnoteDefinition(_)) {
            below.push(*node);
        }
        is_sentinel
    }) else {
        return false;
    };
    let opens = |node: Node<'_>| match &node.data().value {
        NodeValue::HtmlBlock(html) => match source.placeholder(&html.literal) {
            Some(Placeholder::BlockTag(raw)) => BlockTag::parse(raw).is_none_or(|tag| !tag.closing),
            Some(Placeholder::Formula(_) | Placeholder::InlineTag(_)) => true,
            None => false,
        },
        _ => false,
    };
    // The lines after an opening tag may belong to the tag, and a closing tag to the opening tag before the last block.
    let continues = |node: Node<'_>| {
        let is_list = matches!(node.data().value, NodeValue::List(_));
        is_list && begins_item(following)
            || opens(node)
            || begins_with_closing_tag(following) && node.previous_sibling().is_some_and(opens)
    };
    if !following.is_empty() && sentinel.previous_sibling().is_some_and(continues) {
        return false;
    }
    below.into_iter().for_each(|node| node.detach());
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let mut pieces = Pieces::new();
        let mut found = Vec::new();
        loop {
            let next = pieces.next_text(text, &TextDefinitions::default());
            let arena = next.arena(&DocumentLimits::default());
            let parsed = pieces.parse(&arena, next, &DocumentLimits::default()).unwrap();
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
            ("```\n", "b\n```", 3),
            ("```\n", "b", 1),
            ("$$\n", "b\n\n$$", 2),
            ("$$\n", "b", 1),
            ("<!--\n", "b\n-->", 2),
            ("<!--\n", "b", 1),
            ("{% hint %}\n", "b\n{% endhint %}", 3),
            ("", "{% hint %}\nb\n{% endhint %}", 3),
            ("{% content-ref %}\n", "{% endcontent-ref %}", 2),
            ("<p>a</p>\n", "<p>b</p>", 3),
            ("[a]: ", "b", 3),
        ] {
            let text = format!("{before}{long}\n\n{after}\n\n{long}\n\nend");
            let found = pieces(&text);
            assert_eq!(found.concat(), text);
            assert_eq!(found.len(), count, "{before:?} {after:?}");
        }
        let code = format!("```\n{}```\n\n", "\n".repeat(PIECE_BYTES * 3)).repeat(5);
        assert_eq!(pieces(&code).len(), 5);
        let hints = format!("{{% hint %}}\n{long}\n{{% endhint %}}\n").repeat(3);
        assert_eq!(pieces(&hints).len(), 3);
    }
}
