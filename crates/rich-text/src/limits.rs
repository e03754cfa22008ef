//! DocumentLimits on the size of a document.

/// DocumentLimits on one document. Stored pages and request bodies have the same limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLimits {
    /// Length of the Markdown in bytes.
    pub bytes: usize,
    /// Nesting depth of blocks. A JSON parser usually accepts 128 levels, and a block takes two.
    pub depth: usize,
    /// Children of one node: the contract allows 10,000.
    pub children: usize,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self {
            bytes: 4 * 1024 * 1024,
            depth: 36,
            children: 10_000,
        }
    }
}
