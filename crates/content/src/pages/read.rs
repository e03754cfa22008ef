//! Finding pages, files and shared content.

use std::collections::{BTreeMap, HashMap};

use entity::ids::{FileId, PageId, ReusableContentId};
use serde::Deserialize;
use uuid::Uuid;

use super::{
    File, Page, Pages, ReusableContent, Variable,
    place::{Place, below, key},
    snapshot::decode,
};
use crate::{objects::Missing, trie::Trie};

impl Pages<'_> {
    pub fn page(&self, id: PageId) -> Result<Option<Page>, Missing> {
        match self.place(id)? {
            Some(place) => self.page_at(place.parent, &place.slug),
            None => Ok(None),
        }
    }

    /// Returns whether a page exists, without reading it.
    pub fn has_page(&self, id: PageId) -> Result<bool, Missing> {
        Ok(self.place(id)?.is_some())
    }

    pub(super) fn place(&self, id: PageId) -> Result<Option<Place>, Missing> {
        if let Some(place) = self.places.get(&id) {
            return Ok(place.clone());
        }
        if let Some(place) = self.overlay.and_then(|overlay| overlay.place(id)) {
            return Ok(Some(place.clone()));
        }
        self.stored(&self.base.places, id.as_uuid().as_bytes())
    }

    /// The page with this slug among those below a page.
    pub fn page_at(&self, parent: Option<PageId>, slug: &str) -> Result<Option<Page>, Missing> {
        let key = key(parent, slug);
        if let Some(page) = self.pages.get(&key) {
            return Ok(page.clone());
        }
        if let Some(page) = self.overlay.and_then(|overlay| overlay.page(&key)) {
            return Ok(Some(page.clone()));
        }
        if let Some(page) = self.read.borrow().get(&key) {
            return Ok(Some(page.clone()));
        }
        let page: Option<Page> = self.stored(&self.base.pages, &key)?;
        // A text may name very many pages that do not exist.
        if let Some(page) = &page {
            self.read.borrow_mut().insert(key, page.clone());
        }
        Ok(page)
    }

    /// Finds a page by its path of slugs.
    pub fn page_by_path(&self, path: &str) -> Result<Option<Page>, Missing> {
        let mut found: Option<Page> = None;
        for slug in path.split('/') {
            let next = self.page_at(found.as_ref().map(|page| page.id), slug)?;
            if next.is_none() {
                return Ok(None);
            }
            found = next;
        }
        Ok(found)
    }

    /// The pages directly below a page, in their order.
    pub fn children(&self, parent: Option<PageId>) -> Result<Vec<Page>, Missing> {
        let prefix = below(parent);
        let stored = self.base.pages.with_prefix(self.objects, &prefix)?;
        let mut all: BTreeMap<Vec<u8>, Page> = BTreeMap::new();
        for entry in stored {
            if let Some(page) = decode(&entry.value) {
                all.insert(entry.key, page);
            }
        }
        for (key, page) in self.overlay.iter().flat_map(|overlay| overlay.below(&prefix)) {
            all.insert(key.clone(), page.clone());
        }
        for (key, page) in self
            .pages
            .range(prefix.clone()..)
            .take_while(|(key, _)| key.starts_with(&prefix))
        {
            match page {
                Some(page) => all.insert(key.clone(), page.clone()),
                None => all.remove(key),
            };
        }
        let mut children: Vec<Page> = all.into_values().collect();
        sort(&mut children);
        Ok(children)
    }

    /// The pages above a page, from the top.
    pub fn ancestors(&self, page: &Page) -> Result<Vec<Page>, Missing> {
        let mut found = Vec::new();
        let mut next = page.parent;
        while let Some(id) = next {
            let Some(page) = self.page(id)? else { break };
            next = page.parent;
            found.push(page);
        }
        found.reverse();
        Ok(found)
    }

    /// The slugs from the top down to a page.
    pub fn path(&self, page: &Page) -> Result<String, Missing> {
        let above = self.ancestors(page)?;
        let slugs: Vec<&str> = above.iter().chain([page]).map(|page| page.slug.as_str()).collect();
        Ok(slugs.join("/"))
    }

    /// All pages.
    pub fn forest(&self) -> Result<Forest, Missing> {
        let mut all: HashMap<Vec<u8>, Page> = HashMap::new();
        for entry in self.base.pages.all(self.objects)? {
            if let Some(page) = decode(&entry.value) {
                all.insert(entry.key, page);
            }
        }
        for (key, page) in self.overlay.iter().flat_map(|overlay| overlay.pages()) {
            all.insert(key.clone(), page.clone());
        }
        for (key, page) in &self.pages {
            match page {
                Some(page) => all.insert(key.clone(), page.clone()),
                None => all.remove(key),
            };
        }
        let mut forest = Forest::default();
        for page in all.into_values() {
            forest.0.entry(page.parent).or_default().push(page);
        }
        forest.0.values_mut().for_each(|siblings| sort(siblings));
        Ok(forest)
    }

    /// At most `limit` stored placeholders for computed pages, in the order of their ids.
    pub fn placeholders(&self, limit: usize) -> Result<Vec<Page>, Missing> {
        let entries = self.base.placeholders.after(self.objects, None, limit)?;
        let ids = entries.iter().filter_map(|entry| Uuid::from_slice(&entry.key).ok());
        let found: Vec<_> = ids.map(|id| self.page(PageId::from_uuid(id))).collect();
        let found: Result<Vec<Option<Page>>, Missing> = found.into_iter().collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// A page with all that is below it.
    pub fn subtree(&self, page: &Page) -> Result<Forest, Missing> {
        let mut forest = Forest::default();
        let mut next = vec![page.id];
        let mut outcome = Ok(());
        while let Some(parent) = next.pop() {
            match self.children(Some(parent)) {
                Ok(children) if children.is_empty() => {}
                Ok(children) => {
                    next.extend(children.iter().map(|child| child.id));
                    forest.0.insert(Some(parent), children);
                }
                Err(Missing) => outcome = Err(Missing),
            }
        }
        outcome.map(|()| forest)
    }

    pub fn file(&self, id: FileId) -> Result<Option<File>, Missing> {
        match self.files.get(&id) {
            Some(file) => Ok(file.clone()),
            None => self.stored(&self.base.files, id.as_uuid().as_bytes()),
        }
    }

    /// How many files the snapshot has.
    pub fn file_count(&self) -> u32 {
        self.base.files.len()
    }

    /// At most `limit` stored files behind one, in the order of their ids.
    pub fn files_after(&self, id: Option<FileId>, limit: usize) -> Result<Vec<File>, Missing> {
        let key = id.map(|id| id.as_uuid().as_bytes().to_vec());
        let entries = self.base.files.after(self.objects, key.as_deref(), limit)?;
        Ok(entries.iter().filter_map(|entry| decode(&entry.value)).collect())
    }

    pub fn reusable_content(&self, id: ReusableContentId) -> Result<Option<ReusableContent>, Missing> {
        match self.reusable_contents.get(&id) {
            Some(content) => Ok(content.clone()),
            None => self.stored(&self.base.reusable_contents, id.as_uuid().as_bytes()),
        }
    }

    /// The stored shared contents, in the order of their ids.
    pub fn all_reusable_contents(&self) -> Result<Vec<ReusableContent>, Missing> {
        let entries = self.base.reusable_contents.all(self.objects)?;
        Ok(entries.iter().filter_map(|entry| decode(&entry.value)).collect())
    }

    /// The stored variables, in no order.
    pub fn stored_variables(&self) -> Result<Vec<Variable>, Missing> {
        let entries = self.base.variables.all(self.objects)?;
        Ok(entries.iter().filter_map(|entry| decode(&entry.value)).collect())
    }

    fn stored<T: for<'de> Deserialize<'de>>(&self, trie: &Trie, key: &[u8]) -> Result<Option<T>, Missing> {
        let value = trie.get(self.objects, key)?;
        Ok(value.and_then(|value| decode(&value)))
    }
}

/// Pages by the page that they are below, each list in its order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forest(HashMap<Option<PageId>, Vec<Page>>);

impl Forest {
    pub fn below(&self, parent: Option<PageId>) -> &[Page] {
        self.0.get(&parent).map_or(&[], Vec::as_slice)
    }

    /// All of them, in no order.
    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.0.values().flatten()
    }

    /// The same, taken out.
    pub fn into_pages(self) -> impl Iterator<Item = Page> {
        self.0.into_values().flatten()
    }

    /// Removes pages; what is below them cannot be reached any more.
    pub fn retain(&mut self, keep: impl Fn(&Page) -> bool) {
        self.0.values_mut().for_each(|siblings| siblings.retain(&keep));
    }
}

fn sort(siblings: &mut [Page]) {
    siblings.sort_by(|one, other| (&one.order, one.id).cmp(&(&other.order, other.id)));
}
