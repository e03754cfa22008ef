//! The anchors of references, and their relations.

use entity::page_links::LinkRole;
use openapi::models::{ContentRef, ContentReferenceRelation as Relation};

/// The anchor that a reference names.
pub fn anchor(reference: &ContentRef) -> Option<&str> {
    match reference {
        ContentRef::ContentRefAnchor(it) => Some(&it.anchor),
        _ => None,
    }
}

/// A page depends on the content it embeds, and only references the content it links to.
pub fn relation(role: LinkRole) -> Relation {
    match role {
        LinkRole::Link | LinkRole::File => Relation::Reference,
        LinkRole::Media | LinkRole::Reusable | LinkRole::Specification => Relation::DependsOn,
    }
}
