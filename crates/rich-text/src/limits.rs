//! Limits on the size of a document.

/// Limits on one document. Stored pages and request bodies have the same limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLimits {
    /// Length of the Markdown in bytes.
    pub bytes: usize,
    /// Nesting depth of blocks. A JSON parser usually accepts 128 levels, and a block takes two.
    pub depth: usize,
    /// Children of one node: the contract allows 10,000.
    pub children: usize,
    /// Syntax nodes of the blocks that have to be parsed together, besides one for every ten bytes. They take most of the
    /// memory of a parse.
    pub nodes: usize,
}

/// Memory of a syntax node with the nodes that it becomes, in bytes.
const NODE_BYTES: usize = 600;

/// Memory of the densest text, in bytes for each byte.
const DENSEST: usize = 300;

impl DocumentLimits {
    /// Returns about the most memory that a parse takes, in bytes, for a text of this length: one piece at a time is in
    /// memory as nodes.
    pub fn parse_memory(&self, length: usize) -> usize {
        let of_piece = self.nodes.saturating_add(length / 10).saturating_mul(NODE_BYTES);
        of_piece.min(length.saturating_mul(DENSEST)) + length * 4
    }
}

/// Estimates the memory of a text that is in memory with all its nodes. Nearly every node takes a character of the syntax.
pub fn document_memory(text: &str) -> usize {
    let is_syntax =
        |byte: &u8| byte.is_ascii_punctuation() && !matches!(byte, b'.' | b',' | b';' | b'?' | b'\'' | b'"');
    let syntax = text.bytes().filter(|byte| is_syntax(byte) || *byte == b'\n').count();
    text.len() * 16 + syntax * NODE_BYTES
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self {
            bytes: 4 * 1024 * 1024,
            depth: 36,
            children: 10_000,
            nodes: 50_000,
        }
    }
}
