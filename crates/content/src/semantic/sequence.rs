//! The order of changed pages in the table of contents.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap, HashSet},
};

use entity::ids::PageId;

use super::states::{PageChanges, States};
use crate::{
    objects::Missing,
    pages::{Order, Page},
};

/// Returns the changed pages in the order of the table of contents. Deleted pages keep their former positions.
pub(super) fn in_order(states: &States<'_>, changes: &PageChanges) -> Result<Vec<PageId>, Missing> {
    let mut tree = Tree::default();
    let mut outcome = Ok(());
    for page in changes.keys().filter_map(|id| changed(changes, *id)) {
        // Continues after a missing object, so that all missing objects of a level are loaded at once.
        if tree.add(states, changes, page).is_err() {
            outcome = Err(Missing);
        }
    }
    outcome.map(|()| tree.in_order(changes))
}

/// Returns the new version of a changed page, or the old one if it was deleted.
fn changed(changes: &PageChanges, id: PageId) -> Option<&Page> {
    let change = changes.get(&id)?;
    change.after.as_ref().or(change.before.as_ref())
}

/// Changed pages with their ancestors.
#[derive(Default)]
struct Tree {
    below: HashMap<Option<PageId>, BTreeSet<(Order, PageId)>>,
    known: HashSet<PageId>,
}

impl Tree {
    /// Adds a page and its ancestors, up to the first known one.
    fn add<'c>(&mut self, states: &States<'_>, changes: &'c PageChanges, page: &'c Page) -> Result<(), Missing> {
        let mut next = Some(Cow::Borrowed(page));
        while let Some(page) = next.filter(|page| self.known.insert(page.id)) {
            let above = match page.parent {
                Some(parent) => match changed(changes, parent) {
                    Some(parent) => Some(Cow::Borrowed(parent)),
                    None => states.after.page(parent)?.map(Cow::Owned),
                },
                None => None,
            };
            let siblings = self.below.entry(above.as_ref().map(|above| above.id)).or_default();
            siblings.insert((page.order.clone(), page.id));
            next = above;
        }
        Ok(())
    }

    fn in_order(&self, changes: &PageChanges) -> Vec<PageId> {
        let mut found = Vec::with_capacity(changes.len());
        let mut next = vec![None];
        while let Some(page) = next.pop() {
            found.extend(page.filter(|id| changes.contains_key(id)));
            let below = self.below.get(&page).into_iter().flatten();
            next.extend(below.rev().map(|(_, id)| Some(*id)));
        }
        found
    }
}
