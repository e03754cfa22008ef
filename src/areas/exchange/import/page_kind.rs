//! The kinds of pages that an import makes.

use content::pages::ComputedPages;

#[derive(Debug, Clone, PartialEq)]
pub enum PageKind {
    /// A page with the text of this path.
    File(String),
    /// A page without text.
    Empty,
    Group,
    Address(String),
    Computed(Box<ComputedPages>),
}
