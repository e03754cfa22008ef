//! What links lead to.

use entity::{
    ids::{FileId, NodeId, PageId, ReusableContentId, UserId},
    page_links::LinkRole,
};
use openapi::models::{ContentRef, ContentReferenceRelation as Relation};

use crate::urls::Urls;

/// What a link leads to, as far as it can be said without looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    Page(NodeId, PageId),
    File(NodeId, FileId),
    ReusableContent(NodeId, ReusableContentId),
    Space(NodeId),
    Collection(NodeId),
    User(UserId),
    /// An address of somebody else.
    Url,
    /// An address of this service.
    InApp,
    /// What cannot be there: an id that is none, or something that the service does not have.
    Nothing,
}

impl Target {
    /// What a reference means on a page of a space.
    pub fn of(urls: &Urls, reference: &ContentRef, (space, page): (NodeId, PageId)) -> Self {
        let in_space = |named: &Option<String>| match named {
            Some(named) => named.parse().ok(),
            None => Some(space),
        };
        let found = match reference {
            ContentRef::ContentRefUrl(it) if urls.is_own(&it.url) => Some(Self::InApp),
            ContentRef::ContentRefUrl(_) => Some(Self::Url),
            ContentRef::ContentRefPage(it) => both(in_space(&it.space), it.page.parse().ok(), Self::Page),
            ContentRef::ContentRefAnchor(it) => match (&it.space, &it.page) {
                (space, Some(page)) => both(in_space(space), page.parse().ok(), Self::Page),
                (None, None) => Some(Self::Page(space, page)),
                // Another space has no such page: it means the space.
                (Some(space), None) => space.parse().ok().map(Self::Space),
            },
            ContentRef::ContentRefFile(it) => both(in_space(&it.space), it.file.parse().ok(), Self::File),
            ContentRef::ContentRefReusableContent(it) => {
                let id = it.reusable_content.parse().ok();
                both(in_space(&it.space), id, Self::ReusableContent)
            }
            ContentRef::ContentRefSpace(it) => it.space.parse().ok().map(Self::Space),
            ContentRef::ContentRefCollection(it) => it.collection.parse().ok().map(Self::Collection),
            ContentRef::ContentRefUser(it) => it.user.parse().ok().map(Self::User),
            // The service has no specifications yet.
            ContentRef::ContentRefOpenApi(_) => None,
        };
        found.unwrap_or(Self::Nothing)
    }

    /// The space whose content it is a part of.
    pub fn content(self) -> Option<NodeId> {
        match self {
            Self::Page(space, _) | Self::File(space, _) | Self::ReusableContent(space, _) => Some(space),
            Self::Space(_) | Self::Collection(_) | Self::User(_) | Self::Url | Self::InApp | Self::Nothing => None,
        }
    }
}

fn both<Id>(space: Option<NodeId>, id: Option<Id>, target: impl Fn(NodeId, Id) -> Target) -> Option<Target> {
    Some(target(space?, id?))
}

/// The place in a page that a reference names.
pub fn anchor(reference: &ContentRef) -> Option<&str> {
    match reference {
        ContentRef::ContentRefAnchor(it) => Some(&it.anchor),
        _ => None,
    }
}

/// A page is made from what it shows, and only points to what it links to or offers.
pub fn relation(role: LinkRole) -> Relation {
    match role {
        LinkRole::Link | LinkRole::File => Relation::Reference,
        LinkRole::Media | LinkRole::Reusable | LinkRole::Specification => Relation::DependsOn,
    }
}
