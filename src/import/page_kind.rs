//! The kinds of pages that an import makes.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageKind {
    /// The path of its text.
    File(String),
    /// It only holds others.
    Empty,
    Group,
    Address(String),
}
