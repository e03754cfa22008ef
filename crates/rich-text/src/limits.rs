//! How large a document may be.

/// What one document may cost. A stored page and a request body hold these as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The length of the Markdown.
    pub bytes: usize,
    /// How many blocks lie in each other. A JSON reader usually takes 128 levels, of which a block has two.
    pub depth: usize,
    /// The children of one node: the contract allows 10,000.
    pub children: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 4 * 1024 * 1024,
            depth: 36,
            children: 10_000,
        }
    }
}
