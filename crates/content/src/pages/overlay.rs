//! Computed pages in the places of their placeholders.

use std::collections::{BTreeMap, HashMap};

use entity::ids::PageId;

use super::{
    Page,
    place::{Place, key},
};

/// Pages that are read as if a snapshot had them: computed pages, and those that take the places of placeholders.
#[derive(Debug, Clone, Default)]
pub struct Overlay {
    pages: BTreeMap<Vec<u8>, Page>,
    places: HashMap<PageId, Place>,
}

impl Overlay {
    /// The slugs of the pages are unique among siblings.
    pub fn new(pages: impl IntoIterator<Item = Page>) -> Self {
        let mut overlay = Self::default();
        for page in pages {
            let place = Place {
                parent: page.parent,
                slug: page.slug.clone(),
            };
            overlay.places.insert(page.id, place);
            overlay.pages.insert(key(page.parent, &page.slug), page);
        }
        overlay
    }

    pub fn get(&self, id: PageId) -> Option<&Page> {
        let place = self.places.get(&id)?;
        self.pages.get(&key(place.parent, &place.slug))
    }

    /// The page with this slug among those below a page.
    pub fn page_at(&self, parent: Option<PageId>, slug: &str) -> Option<&Page> {
        self.pages.get(&key(parent, slug))
    }

    /// All pages, in no order that means anything.
    pub fn iter(&self) -> impl Iterator<Item = &Page> {
        self.pages.values()
    }

    pub(super) fn place(&self, id: PageId) -> Option<&Place> {
        self.places.get(&id)
    }

    pub(super) fn page(&self, key: &[u8]) -> Option<&Page> {
        self.pages.get(key)
    }

    pub(super) fn pages(&self) -> impl Iterator<Item = (&Vec<u8>, &Page)> {
        self.pages.iter()
    }

    /// The pages whose keys begin with a prefix.
    pub(super) fn below<'p>(&'p self, prefix: &'p [u8]) -> impl Iterator<Item = (&'p Vec<u8>, &'p Page)> {
        let from = self.pages.range(prefix.to_vec()..);
        from.take_while(move |(key, _)| key.starts_with(prefix))
    }
}
