//! A cache of the pages of revisions. A revision never changes, so entries do not expire.

use std::{collections::BTreeSet, sync::Arc};

use content::{
    objects::{Hash, Missing},
    pages::{Page, Pages},
};
use entity::ids::{PageId, RevisionId};
use moka::sync::Cache;

/// Memory of all pages.
const CACHE_BYTES: u64 = 16 * 1024 * 1024;

/// Approximate memory of an entry beside its texts.
const OVERHEAD: usize = 512;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PageKey {
    pub revision: RevisionId,
    /// The computed pages that are read too, by what they are made from. `None`: their placeholders are read.
    pub computed: Option<Option<Hash>>,
    pub name: PageName,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub enum PageName {
    Id(PageId),
    /// The slugs from the top.
    Path(Box<str>),
}

impl PageName {
    fn find(&self, pages: &Pages<'_>) -> Result<Option<Page>, Missing> {
        match self {
            Self::Id(id) => pages.page(*id),
            Self::Path(path) => pages.page_by_path(path),
        }
    }
}

pub struct FoundPage {
    pub page: Page,
    /// The conditions of the page and of the pages above it: visitors of a site see the page if all of them hold.
    pub conditions: BTreeSet<String>,
}

impl FoundPage {
    pub fn find(pages: &Pages<'_>, name: &PageName) -> Result<Option<Self>, Missing> {
        let Some(page) = name.find(pages)? else {
            return Ok(None);
        };
        let above = pages.ancestors(&page)?;
        let conditions = above.iter().chain([&page]).filter_map(|page| page.condition.clone());
        let conditions = conditions.collect();
        Ok(Some(Self { page, conditions }))
    }

    /// Approximate memory of the texts, which is that of their JSON.
    fn bytes(&self) -> usize {
        serde_json::to_vec(&self.page).map_or(0, |json| json.len())
    }
}

/// Pages that were found before.
pub struct FoundPages(Cache<PageKey, Arc<FoundPage>>);

impl FoundPages {
    pub fn get(&self, key: &PageKey) -> Option<Arc<FoundPage>> {
        self.0.get(key)
    }

    pub fn insert(&self, key: PageKey, page: Arc<FoundPage>) {
        self.0.insert(key, page);
    }
}

impl Default for FoundPages {
    fn default() -> Self {
        let weigh = |key: &PageKey, page: &Arc<FoundPage>| {
            let path = match &key.name {
                PageName::Id(_) => 0,
                PageName::Path(path) => path.len(),
            };
            u32::try_from(page.bytes().saturating_add(path).saturating_add(OVERHEAD)).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build())
    }
}
