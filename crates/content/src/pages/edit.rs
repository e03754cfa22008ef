//! Changing pages, files and shared content.

use entity::ids::{FileId, PageId, ReusableContentId};

use super::{
    File, MAX_SLUG, Order, Page, PageContent, Pages, ReusableContent, Variable,
    place::{Place, key},
    spread, variables,
};
use crate::objects::Missing;

impl Pages<'_> {
    /// Inserts or moves a page to its parent and slug. The caller has checked that the slug is free.
    pub fn put(&mut self, page: Page) -> Result<(), Missing> {
        let to = Place {
            parent: page.parent,
            slug: page.slug.clone(),
        };
        let from = self.place(page.id)?;
        if from.as_ref() != Some(&to) {
            if let Some(from) = from {
                self.pages.insert(key(from.parent, &from.slug), None);
            }
            self.places.insert(page.id, Some(to));
        }
        self.mark_placeholder(page.id, matches!(page.content, PageContent::Computed { .. }));
        self.pages.insert(key(page.parent, &page.slug), Some(page));
        Ok(())
    }

    /// Removes a page without its descendants.
    pub fn remove(&mut self, page: &Page) {
        self.pages.insert(key(page.parent, &page.slug), None);
        self.places.insert(page.id, None);
        self.mark_placeholder(page.id, false);
    }

    fn mark_placeholder(&mut self, id: PageId, is_placeholder: bool) {
        if is_placeholder || !self.base.placeholders.is_empty() || self.placeholders.contains_key(&id) {
            self.placeholders.insert(id, is_placeholder.then_some(()));
        }
    }

    /// Removes a page with its descendants. Returns the removed pages, the page first.
    pub fn remove_subtree(&mut self, page: &Page) -> Result<Vec<Page>, Missing> {
        let below = self.subtree(page)?;
        let mut gone = vec![page.clone()];
        gone.extend(below.pages().cloned());
        for page in &gone {
            self.remove(page);
        }
        Ok(gone)
    }

    /// Returns a sort key before the sibling with this index, or after all siblings. `moved` does not count as a sibling.
    pub fn order_at(
        &mut self,
        parent: Option<PageId>,
        at: Option<usize>,
        moved: Option<PageId>,
    ) -> Result<Order, Missing> {
        let mut siblings = self.children(parent)?;
        siblings.retain(|page| Some(page.id) != moved);
        let at = at.unwrap_or(siblings.len()).min(siblings.len());
        let between = |siblings: &[Page]| {
            let before = at.checked_sub(1).and_then(|before| siblings.get(before));
            let after = siblings.get(at);
            Order::between(before.map(|page| &page.order), after.map(|page| &page.order))
        };
        if let Some(order) = between(&siblings) {
            return Ok(order);
        }
        // Two siblings have the same sort key, so no key lies between them.
        let count = siblings.len();
        for (page, order) in siblings.iter_mut().zip(spread(count)) {
            page.order = order;
            self.put(page.clone())?;
        }
        Ok(between(&siblings).unwrap_or_default())
    }

    /// Returns the first free slug of `slug-2`, `slug-3` …, beginning with `number`, and the number after it.
    pub fn free_slug(&self, parent: Option<PageId>, slug: &str, number: usize) -> Result<(String, usize), Missing> {
        let mut number = number;
        loop {
            let ending = format!("-{number}");
            let kept = MAX_SLUG.saturating_sub(ending.len());
            let free: String = slug.chars().take(kept).chain(ending.chars()).collect();
            number += 1;
            if self.page_at(parent, &free)?.is_none() {
                return Ok((free, number));
            }
        }
    }

    pub fn put_file(&mut self, file: File) {
        self.files.insert(file.id, Some(file));
    }

    pub fn remove_file(&mut self, id: FileId) {
        self.files.insert(id, None);
    }

    pub fn put_reusable_content(&mut self, content: ReusableContent) {
        self.reusable_contents.insert(content.id, Some(content));
    }

    pub fn remove_reusable_content(&mut self, id: ReusableContentId) {
        self.reusable_contents.insert(id, None);
    }
    pub fn put_variable(&mut self, variable: Variable) {
        self.variables.insert(variables::key(&variable.name), Some(variable));
    }

    pub fn remove_variable(&mut self, name: &str) {
        self.variables.insert(variables::key(name), None);
    }
}
