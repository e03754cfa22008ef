//! Limits on the size of a document.

use crate::delimiters::delimited_columns;

/// Limits on one document. Those of stored pages are wider than those of new ones in what counts as nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLimits {
    /// Length of the Markdown in bytes.
    pub bytes: usize,
    /// Nesting depth of blocks. A JSON parser usually accepts 128 levels, and a block takes two.
    pub depth: usize,
    /// Children of one node: the contract allows 10,000.
    pub children: usize,
    /// Maximum syntax nodes of the blocks that have to be parsed together, about sixteen for each child of a node: so many has
    /// the item of a list with a link and some escapes. Syntax nodes take most of the memory of a parse.
    pub nodes: usize,
    /// Lines of code and tags of HTML, which become nodes of the document, count as syntax nodes. Long code in the document
    /// itself is parsed in parts, and does not count.
    pub counts_contents: bool,
}

/// Memory of a syntax node with the nodes that it becomes and their JSON, in bytes.
const NODE_BYTES: usize = 1000;

/// Memory of a line with text, as the item of a list that has a paragraph.
pub const LINE_BYTES: usize = 1500;

/// Memory of an empty line, which may be a line of code.
const EMPTY_LINE_BYTES: usize = 350;

/// Memory of a link that is recognized without brackets.
const PLAIN_LINK_BYTES: usize = 3000;

/// The memory of a node, divided by that of its key and its anchor.
const STATE_SHARE: usize = 16;

/// The memory of a node with its JSON while it is built, divided by that of the node.
const OPEN_SHARE: usize = 2;

/// Memory of a row of a table beyond that of a line, with its JSON, and of each of its cells as far as they may be left out.
const MORE_FOR_A_ROW: usize = 700;
const MORE_FOR_A_COLUMN: usize = 200;

/// Memory of a cell after the first one of a row, with its JSON.
const CELL_BYTES: usize = 1450;

/// Lines of code that count as one child of a node: the contract allows ten times as many.
const CODE_LINES_PER_CHILD: usize = 10;

/// Copies of the text: as a piece, prepared for the parser, in the syntax tree, and in the nodes.
pub const COPIES: usize = 8;

impl DocumentLimits {
    /// The longest Markdown in bytes: several times the longest pages that people write. All of its nodes are in memory at once.
    pub const MAX_BYTES: usize = 512 * 1024;

    /// Returns the limits of texts that clients send, see [`check_memory`]. Texts that were stored before these limits stay
    /// readable.
    pub fn of_new_texts() -> Self {
        Self {
            counts_contents: true,
            ..Self::default()
        }
    }

    /// Returns the most memory that a parse takes, in bytes, with the JSON of a block: one block at a time is in memory as
    /// nodes, with all that is in it.
    pub fn parse_memory(&self, text: &str) -> usize {
        let mut nodes = self.nodes;
        if !self.counts_contents {
            nodes = nodes.max(text.matches('\n').count());
        }
        nodes.saturating_mul(NODE_BYTES).min(nodes_memory(text)) + text.len() * COPIES
    }

    /// Returns the most lines of a block of code.
    pub fn max_code_lines(&self) -> usize {
        self.children.saturating_mul(CODE_LINES_PER_CHILD)
    }
}

/// Returns the most memory that checking a text with the limits of new texts takes, and then rewriting its links or extracting
/// them, without JSON.
pub fn check_memory(text: &str) -> usize {
    DocumentLimits::of_new_texts().parse_memory(text)
}

/// Returns the limits to read a stored text with, those of new texts first, and the most memory that extracting its links and
/// its plain text takes with each. Only texts from before the limits of new texts need others.
pub fn stored_limits(text: &str) -> [(DocumentLimits, usize); 2] {
    let of_all_texts = DocumentLimits::default();
    [
        (DocumentLimits::of_new_texts(), check_memory(text)),
        (of_all_texts, of_all_texts.parse_memory(text)),
    ]
}

/// Returns the most memory of the rows of tables in a text beyond that of their lines: a table of bars is the lines around its
/// delimiters, of which others need no bars.
fn rows_memory(text: &str) -> usize {
    let (mut memory, mut lines, mut columns) = (0, 0, 0);
    for line in text.lines() {
        (lines, columns) = match line.is_empty() {
            true => (0, 0),
            false => (lines + 1, delimited_columns(line).max(columns)),
        };
        if columns > 0 {
            memory += std::mem::take(&mut lines) * (MORE_FOR_A_ROW + columns * MORE_FOR_A_COLUMN);
        }
    }
    let is_row = |tag: &&[u8]| tag.eq_ignore_ascii_case(b"<tr");
    memory + text.as_bytes().windows(3).filter(is_row).count() * MORE_FOR_A_ROW
}

/// Returns the most memory between the pieces of a stream: the text, the keys, anchors and definitions of the whole text, and
/// the nodes of an open container.
pub fn stream_memory(text: &str) -> usize {
    let has_containers = text.contains("{%") || text.contains('<');
    let share = if has_containers { OPEN_SHARE } else { STATE_SHARE };
    text.len() * 2 + nodes_memory(text) / share
}

/// Returns the most memory of a text that is in memory with all its nodes, with their JSON.
pub fn document_memory(text: &str) -> usize {
    nodes_memory(text) + text.len() * COPIES
}

/// Returns the most memory of the nodes of a text: nearly every node takes a line or a character of the syntax.
fn nodes_memory(text: &str) -> usize {
    let (mut last, mut memory, mut ends_cell) = (b'\n', 0_usize, false);
    for byte in text.bytes() {
        memory += match byte {
            b'\n' if last == b'\n' => EMPTY_LINE_BYTES,
            _ if last == b'\n' => LINE_BYTES + syntax_memory(byte, last),
            _ => syntax_memory(byte, last),
        };
        if byte == b'\n' && ends_cell {
            memory = memory.saturating_sub(CELL_BYTES);
        }
        ends_cell = byte == b'|' && last != b'\n';
        last = byte;
    }
    memory + text.matches("www.").count() * PLAIN_LINK_BYTES + rows_memory(text)
}

/// Returns the most memory of the nodes that a character begins or ends.
fn syntax_memory(byte: u8, before: u8) -> usize {
    match byte {
        // Bars at both ends of a row begin no further cell.
        b'|' if before == b'\n' => 0,
        b'|' => CELL_BYTES,
        b'[' | b']' => 1200,
        // Longer runs are one delimiter.
        b'*' | b'_' | b'~' | b'`' if before == byte => 150,
        b'*' | b'_' => 1400,
        b'~' | b'`' | b'+' | b'-' => 800,
        // An item of a list within an item: `1. 1. a`
        b'.' | b')' if before.is_ascii_digit() => 1000,
        b'@' => PLAIN_LINK_BYTES,
        b'<' | b'>' | b':' | b'/' => 700,
        b'\\' => 300,
        b'.' | b',' | b';' | b'?' | b'\'' | b'"' | b'(' | b')' => 0,
        _ if byte.is_ascii_punctuation() => 600,
        _ => 0,
    }
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self {
            bytes: 4 * 1024 * 1024,
            depth: 36,
            children: 10_000,
            nodes: 160_000,
            counts_contents: false,
        }
    }
}
