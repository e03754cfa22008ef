//! The links of a revision, grouped by target, and the cache of the link sets of whole revisions.

use std::sync::Arc;

use entity::ids::{FileId, NodeId, OpenapiSpecId, PageId, ReusableContentId, RevisionId, UserId};
use moka::sync::Cache;
use openapi::models::{ContentReferenceRelation, ContentReferenceStatus};
use rich_text::DocumentAnchors;

use super::objects::Hash;

/// Memory that the cached link sets may take.
const CACHE_BYTES: u64 = 32 * 1024 * 1024;

/// The target of a link, as far as it is known without looking it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkTarget {
    Page(NodeId, PageId),
    File(NodeId, FileId),
    ReusableContent(NodeId, ReusableContentId),
    Space(NodeId),
    Collection(NodeId),
    User(UserId),
    Specification(OpenapiSpecId),
    /// A specification that is named by its slug.
    NamedSpecification,
    /// An address outside of this service.
    Url,
    /// An address of this service.
    InApp,
    /// A target that cannot exist: a malformed id.
    Nothing,
}

impl LinkTarget {
    /// The space that holds the target, if it is a part of content.
    pub fn content(self) -> Option<NodeId> {
        match self {
            Self::Page(space, _) | Self::File(space, _) | Self::ReusableContent(space, _) => Some(space),
            Self::Space(_)
            | Self::Collection(_)
            | Self::User(_)
            | Self::Specification(_)
            | Self::NamedSpecification
            | Self::Url
            | Self::InApp
            | Self::Nothing => None,
        }
    }
}

/// The location of a link: its page, its number on the page, and the text that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinkPlace {
    pub page: PageId,
    pub seq: i32,
    pub source: Hash,
}

/// A link target with the locations of the links to it.
pub struct LinkEntry {
    pub relation: ContentReferenceRelation,
    pub target: LinkTarget,
    /// The anchor in a page, or the slug of a specification.
    pub name: Option<Box<str>>,
    /// The status that holds for everybody who sees the revision. `None`: it depends on what else the caller sees.
    pub status: Option<ContentReferenceStatus>,
    pub first: LinkPlace,
    /// The locations after the first.
    pub others: Vec<LinkPlace>,
}

impl LinkEntry {
    /// The key of keyset paging.
    pub fn key(&self) -> (PageId, i32) {
        (self.first.page, self.first.seq)
    }

    pub fn places(&self) -> impl Iterator<Item = &LinkPlace> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// Links in the order of their first locations.
pub struct LinkSet(pub Vec<LinkEntry>);

impl LinkSet {
    fn weight(&self) -> usize {
        let places: usize = self.0.iter().map(|entry| entry.others.capacity()).sum();
        let names: usize = self
            .0
            .iter()
            .filter_map(|entry| entry.name.as_ref())
            .map(|it| it.len())
            .sum();
        self.0.len() * size_of::<LinkEntry>() + names + places * size_of::<LinkPlace>()
    }
}

/// Memory that the cached anchors may take.
const ANCHOR_CACHE_BYTES: u64 = 16 * 1024 * 1024;

/// The anchors of the texts that were read last, by the hashes of the texts.
#[derive(Clone)]
pub struct AnchorCache(Cache<Hash, Arc<DocumentAnchors>>);

impl AnchorCache {
    pub fn new() -> Self {
        let weigh = |_: &Hash, found: &Arc<DocumentAnchors>| {
            let bytes: usize = found
                .anchors
                .iter()
                .map(|anchor| anchor.len() + size_of::<String>())
                .sum();
            u32::try_from(bytes + size_of::<DocumentAnchors>()).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().weigher(weigh).max_capacity(ANCHOR_CACHE_BYTES).build())
    }

    pub fn get(&self, text: Hash) -> Option<Arc<DocumentAnchors>> {
        self.0.get(&text)
    }

    pub fn insert(&self, text: Hash, anchors: Arc<DocumentAnchors>) {
        self.0.insert(text, anchors);
    }
}

impl Default for AnchorCache {
    fn default() -> Self {
        Self::new()
    }
}

/// The link sets of whole revisions that were read last. Revisions never change, so entries never expire.
#[derive(Clone)]
pub struct LinkCache(Cache<RevisionId, Arc<LinkSet>>);

impl LinkCache {
    pub fn new() -> Self {
        let weigh = |_: &RevisionId, links: &Arc<LinkSet>| u32::try_from(links.weight()).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build())
    }

    pub fn get(&self, revision: RevisionId) -> Option<Arc<LinkSet>> {
        self.0.get(&revision)
    }

    pub fn insert(&self, revision: RevisionId, links: Arc<LinkSet>) {
        self.0.insert(revision, links);
    }
}

impl Default for LinkCache {
    fn default() -> Self {
        Self::new()
    }
}
