//! The content of the space before the import. Objects that are imported again keep their ids, so that links to them and
//! their histories continue.

use std::collections::{HashMap, HashSet};

use content::{
    objects::Content,
    pages::{ComputedPages, Page, PageContent, Pages, Snapshot},
};
use entity::ids::{FileId, PageId, ReusableContentId, RevisionId};
use openapi::models::ContentRef;
use platform::db::Reads;

use super::{
    known::KnownFiles,
    page_kind::PageKind,
    target::{ImportTarget, TargetSpace},
};

use crate::areas::{authoring::editor::write::load_head, exchange::Exchange};

#[derive(Default)]
pub struct ExistingContent {
    /// `None`: the space is new.
    pub revision: Option<RevisionId>,
    pages: HashMap<PageId, Page>,
    /// By the parent page and the slug.
    places: HashMap<(Option<PageId>, String), PageId>,
    /// Links by the parent page and the address.
    addresses: HashMap<(Option<PageId>, String), PageId>,
    /// Placeholders by the parent page.
    computed: HashMap<Option<PageId>, Vec<(ComputedPages, PageId)>>,
    /// By name and size.
    pub files: HashMap<(String, u64), Vec<FileId>>,
    /// By title.
    pub reusable_contents: HashMap<String, ReusableContentId>,
    pub known: KnownFiles,
    known_ids: HashSet<PageId>,
    /// Tells this content apart from other content.
    pub salt: Vec<u8>,
}

impl ExistingContent {
    /// Loads the content of the target; empty for a new space.
    pub(super) async fn of(exchange: &Exchange, target: &ImportTarget) -> anyhow::Result<Self> {
        let TargetSpace::Existing(node) = &target.space else {
            return Ok(Self::default());
        };
        let head = load_head(&exchange.contents, node.id).await?;
        let mut content = exchange.content(node.id);
        Self::of_snapshot(&mut content, (head.id, head.snapshot), KnownFiles::default()).await
    }

    /// The content of a state that comes from a revision.
    pub async fn of_snapshot(
        content: &mut Content<'_, Reads>,
        (revision, snapshot): (RevisionId, Snapshot),
        known: KnownFiles,
    ) -> anyhow::Result<Self> {
        let found = content.run(|objects| {
            let pages = Pages::of(objects, snapshot);
            let (forest, files) = (pages.forest(), pages.files_after(None, usize::MAX));
            let reusable = pages.all_reusable_contents();
            Ok((forest?, files?, reusable?))
        });
        let (forest, files, reusable) = found.await?;
        let mut existing = Self {
            revision: Some(revision),
            known_ids: known.pages.values().map(|page| page.id).collect(),
            known,
            salt: serde_json::to_vec(&snapshot)?,
            ..Self::default()
        };
        for page in forest.into_pages() {
            existing.add(page);
        }
        // `pop` takes the last of equal files first.
        for file in files.into_iter().rev() {
            existing.files.entry((file.name, file.size)).or_default().push(file.id);
        }
        existing.reusable_contents = reusable
            .into_iter()
            .map(|content| (content.title, content.id))
            .collect();
        Ok(existing)
    }

    fn add(&mut self, page: Page) {
        if let PageContent::Link {
            target: ContentRef::ContentRefUrl(target),
        } = &page.content
        {
            self.addresses.insert((page.parent, target.url.clone()), page.id);
        }
        if let PageContent::Computed { source } = &page.content {
            let computed = self.computed.entry(page.parent).or_default();
            computed.push(((**source).clone(), page.id));
        }
        self.places.insert((page.parent, page.slug.clone()), page.id);
        self.pages.insert(page.id, page);
    }

    /// Returns the id of the page with this parent and slug, if it has the same kind.
    pub(super) fn id(&self, parent: Option<PageId>, slug: &str, what: &PageKind) -> Option<PageId> {
        if let PageKind::Address(address) = what {
            return self.addresses.get(&(parent, address.clone())).copied();
        }
        if let PageKind::Computed(source) = what {
            let known = self.computed.get(&parent)?;
            return known.iter().find(|(known, _)| known == &**source).map(|(_, id)| *id);
        }
        let page = self.pages.get(self.places.get(&(parent, slug.to_owned()))?)?;
        let is_same = match what {
            PageKind::File(_) | PageKind::Empty => matches!(page.content, PageContent::Document { .. }),
            PageKind::Group => matches!(page.content, PageContent::Group),
            PageKind::Address(_) | PageKind::Computed(_) => false,
        };
        is_same.then_some(page.id)
    }

    /// Returns the page whose file has this path, and its slug if that stays.
    pub(super) fn of_path(&self, path: &str) -> Option<(PageId, Option<String>)> {
        let known = self.known.pages.get(path)?;
        let page = self
            .pages
            .get(&known.id)
            .filter(|page| matches!(page.content, PageContent::Document { .. }))?;
        Some((page.id, known.keeps_slug.then(|| page.slug.clone())))
    }

    /// Whether a page belongs to a file that the import names.
    pub(super) fn is_known(&self, id: PageId) -> bool {
        self.known_ids.contains(&id)
    }

    /// Returns a page with its times: an unchanged page keeps both, a changed page its creation.
    pub fn with_times(&self, page: Page) -> Page {
        let Some(before) = self.pages.get(&page.id) else {
            return page;
        };
        let page = Page {
            created_at: before.created_at.or(page.created_at),
            ..page
        };
        let unchanged = Page {
            order: page.order.clone(),
            created_at: page.created_at,
            updated_at: page.updated_at,
            ..before.clone()
        };
        if unchanged == page {
            return Page {
                updated_at: before.updated_at.or(page.updated_at),
                ..page
            };
        }
        page
    }
}
