//! Pages of lists.

/// One page: the envelope types of the contract are made from it.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The number of items on all pages together; `None` if they are too many to be counted.
    pub count: Option<u64>,
    /// The cursor of the next page; `None` on the last.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// The same page of other items, one for each.
    pub fn map<W>(self, view: impl FnMut(T) -> W) -> Page<W> {
        Page {
            items: self.items.into_iter().map(view).collect(),
            count: self.count,
            next: self.next,
        }
    }
}
