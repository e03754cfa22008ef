//! The two revisions that are compared.

use std::collections::BTreeMap;

use entity::ids::PageId;

use crate::{
    objects::Objects,
    pages::{Change, Page, Pages, Snapshot},
};

pub(super) type PageChanges = BTreeMap<PageId, Change<Page>>;

/// All pages before and after.
pub(super) struct States<'o> {
    pub before: Pages<'o>,
    pub after: Pages<'o>,
}

impl<'o> States<'o> {
    pub fn of(objects: &'o Objects, before: &Snapshot, after: &Snapshot) -> Self {
        Self {
            before: Pages::of(objects, *before),
            after: Pages::of(objects, *after),
        }
    }
}
