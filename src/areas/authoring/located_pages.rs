//! A cache of the pages of revisions. A revision never changes, so entries do not expire.

use std::collections::BTreeSet;

use content::{
    cache::{ByteCache, Cached},
    objects::{Hash, Missing},
    pages::{Page, Pages},
};
use entity::ids::{PageId, RevisionId};

/// Approximate bytes of an entry beside its texts.
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

    fn bytes(&self) -> usize {
        match self {
            Self::Id(_) => 0,
            Self::Path(path) => path.len(),
        }
    }
}

pub struct LocatedPage {
    pub page: Page,
    /// Visitors of a site see the page if all of them hold.
    pub conditions: BTreeSet<String>,
    /// Approximate bytes, with the name.
    bytes: usize,
}

impl LocatedPage {
    pub fn find(pages: &Pages<'_>, name: &PageName) -> Result<Option<Self>, Missing> {
        let Some(page) = name.find(pages)? else {
            return Ok(None);
        };
        let conditions = conditions(pages, &page)?;
        // The texts take about as much as their JSON.
        let texts = serde_json::to_vec(&page).map_or(0, |json| json.len());
        let bytes = texts.saturating_add(name.bytes()).saturating_add(OVERHEAD);
        Ok(Some(Self {
            page,
            conditions,
            bytes,
        }))
    }
}

/// The conditions of a page and of the pages above it.
pub fn conditions(pages: &Pages<'_>, page: &Page) -> Result<BTreeSet<String>, Missing> {
    let above = pages.ancestors(page)?;
    let all = above.iter().chain([page]);
    Ok(all.filter_map(|page| page.condition.clone()).collect())
}

impl Cached for LocatedPage {
    const CACHE_BYTES: u64 = 8 * 1024 * 1024;

    fn weight(&self) -> usize {
        self.bytes
    }
}

pub type LocatedPages = ByteCache<PageKey, LocatedPage>;
