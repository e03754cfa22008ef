//! Changing pages, files and shared content.

use entity::ids::{FileId, PageId, ReusableContentId};

use super::{
    File, MAX_SLUG, Order, Page, Pages, ReusableContent,
    snapshot::{Place, key},
    spread,
};
use crate::objects::Missing;

impl Pages<'_> {
    /// Puts a page where it says it is, away from where it was. The caller has seen to it that the slug is free.
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
        self.pages.insert(key(page.parent, &page.slug), Some(page));
        Ok(())
    }

    /// Takes a page away, but not those below it.
    pub fn remove(&mut self, page: &Page) {
        self.pages.insert(key(page.parent, &page.slug), None);
        self.places.insert(page.id, None);
    }

    /// Takes a page away with all that is below it. Gives what is gone, the page first.
    pub fn remove_subtree(&mut self, page: &Page) -> Result<Vec<Page>, Missing> {
        let below = self.subtree(page)?;
        let mut gone = vec![page.clone()];
        gone.extend(below.pages().cloned());
        for page in &gone {
            self.remove(page);
        }
        Ok(gone)
    }

    /// The place in front of the sibling with this index, or behind all, where `moved` does not count.
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
        // Two siblings have the same place, so there is none between them.
        let count = siblings.len();
        for (page, order) in siblings.iter_mut().zip(spread(count)) {
            page.order = order;
            self.put(page.clone())?;
        }
        Ok(between(&siblings).unwrap_or_default())
    }

    /// The first of `slug-2`, `slug-3` … that no page below `parent` has, where `number` is the one to begin with. The
    /// number that follows it comes along.
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
}
