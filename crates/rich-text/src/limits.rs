//! Limits on the size of a document.

/// Limits on one document. Those of stored pages are wider than those of new ones, in length and in what counts as nodes.
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
    /// Lines of code and tags of HTML, which become nodes of the document, count as syntax nodes.
    pub counts_contents: bool,
}

/// Lines of code that count as one child of a node: the contract allows ten times as many.
const CODE_LINES_PER_CHILD: usize = 10;

impl DocumentLimits {
    /// The longest Markdown that clients send, in bytes: several times the longest pages that people write.
    pub const MAX_BYTES: usize = 512 * 1024;

    /// Returns the limits of texts that clients send. Stored texts have wider ones: names in links became ids, and merged texts have the
    /// additions of both sides.
    pub fn of_new_texts() -> Self {
        Self {
            bytes: Self::MAX_BYTES,
            counts_contents: true,
            ..Self::default()
        }
    }

    /// Returns the most lines of a block of code.
    pub fn max_code_lines(&self) -> usize {
        self.children.saturating_mul(CODE_LINES_PER_CHILD)
    }
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self {
            bytes: 2 * Self::MAX_BYTES,
            depth: 36,
            children: 10_000,
            nodes: 160_000,
            counts_contents: false,
        }
    }
}
