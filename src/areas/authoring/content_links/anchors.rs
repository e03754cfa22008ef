//! Links to anchors of pages: those whose page has no such anchor are broken.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use content::{
    link_set::{LinkEntry, LinkTarget},
    objects::{Hash, Missing},
    pages::{Pages, Snapshot},
    reading::read_stored,
};
use entity::ids::PageId;
use openapi::error::ApiError;
use percent_encoding::percent_decode_str;
use rich_text::{DocumentAnchors, DocumentLimits, extract_anchors};

use super::scope::LinkScope;

/// Texts that are in memory at once.
const TEXTS_AT_ONCE: usize = 16;

/// The most pages whose anchors one request looks up.
const MAX_PAGES: usize = 5000;

/// The anchors of pages of a snapshot.
#[derive(Default)]
pub struct PageAnchors(HashMap<PageId, Arc<DocumentAnchors>>);

impl PageAnchors {
    /// Loads the anchors of the pages of the space that the links name with an anchor.
    pub async fn of(
        scope: &LinkScope<'_>,
        snapshot: Snapshot,
        links: impl Iterator<Item = &LinkEntry>,
    ) -> Result<Self, ApiError> {
        let named = links.filter(|entry| entry.name.is_some());
        let named = named.filter_map(|entry| match entry.target {
            LinkTarget::Page(space, page) if space == scope.space => Some(page),
            _ => None,
        });
        let named: HashSet<PageId> = named.collect();
        if named.is_empty() || named.len() > MAX_PAGES {
            return Ok(Self::default());
        }
        let texts = scope.compute(snapshot, |pages| texts(pages, &named)).await?;
        let known = load(scope, texts.values().flatten().copied().collect()).await?;
        let anchors = texts.into_iter().map(|(page, text)| {
            let anchors = text.and_then(|text| known.get(&text).cloned());
            (page, anchors.unwrap_or_default())
        });
        Ok(Self(anchors.collect()))
    }

    /// Returns whether the page of a link has its anchor. Links without an anchor, and those to other content, count as right.
    pub fn has(&self, entry: &LinkEntry) -> bool {
        let (Some(anchor), LinkTarget::Page(_, page)) = (&entry.name, entry.target) else {
            return true;
        };
        let anchor = percent_decode_str(anchor).decode_utf8_lossy();
        self.0.get(&page).is_none_or(|known| known.has(&anchor))
    }
}

/// The texts of those of the pages that exist.
fn texts(pages: &Pages<'_>, named: &HashSet<PageId>) -> Result<HashMap<PageId, Option<Hash>>, Missing> {
    let mut outcome = Ok(HashMap::new());
    for id in named {
        match (pages.page(*id), &mut outcome) {
            (Ok(Some(page)), Ok(found)) => drop(found.insert(*id, page.document())),
            (Ok(_), _) => {}
            (Err(Missing), outcome) => *outcome = Err(Missing),
        }
    }
    outcome
}

/// The anchors of texts, from the cache or parsed.
async fn load(scope: &LinkScope<'_>, texts: HashSet<Hash>) -> Result<HashMap<Hash, Arc<DocumentAnchors>>, ApiError> {
    let authoring = scope.authoring;
    let (mut known, mut unknown) = (HashMap::new(), Vec::new());
    for text in texts {
        match authoring.contents.state.anchors.get(&text) {
            Some(anchors) => drop(known.insert(text, anchors)),
            None => unknown.push(text),
        }
    }
    let mut content = scope.content();
    for batch in unknown.chunks(TEXTS_AT_ONCE) {
        let batch = batch.to_vec();
        let loaded = content.run(|objects| objects.all(&batch)).await?;
        for (hash, object) in &loaded {
            let read = |limits: &DocumentLimits| extract_anchors(object.text(), limits);
            let anchors = read_stored(&authoring.kernel.work, object.text(), read).await?;
            let anchors = Arc::new(anchors.map_err(ApiError::internal)?);
            authoring.contents.state.anchors.insert(*hash, Arc::clone(&anchors));
            known.insert(*hash, anchors);
        }
        drop(loaded);
        content.unload(&batch);
    }
    Ok(known)
}
