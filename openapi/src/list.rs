//! Pages of lists.

/// One page: the envelope types of the contract are made from it.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// How many items all pages have together.
    pub count: u64,
    /// The cursor of the next page; `None` on the last.
    pub next: Option<String>,
}
