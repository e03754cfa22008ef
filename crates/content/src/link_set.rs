//! The links of a revision, grouped by target, and the caches of the links of whole revisions and of anchors.

use entity::ids::{FileId, NodeId, OpenapiSpecId, PageId, ReusableContentId, RevisionId, UserId};
use openapi::models::{ContentReferenceRelation, ContentReferenceStatus};
use rich_text::DocumentAnchors;

use super::{
    cache::{ByteCache, Cached},
    objects::Hash,
};

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

impl Cached for LinkSet {
    const CACHE_BYTES: u64 = 16 * 1024 * 1024;

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

/// The anchors of texts, by the hashes of the texts.
pub type AnchorCache = ByteCache<Hash, DocumentAnchors>;

impl Cached for DocumentAnchors {
    const CACHE_BYTES: u64 = 8 * 1024 * 1024;

    fn weight(&self) -> usize {
        self.bytes()
    }
}

/// The link sets of whole revisions.
pub type LinkCache = ByteCache<RevisionId, LinkSet>;
