//! The kinds of pages that an import makes.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageKind {
    /// A page with the text of this path.
    File(String),
    /// A page without text.
    Empty,
    Group,
    Address(String),
}
