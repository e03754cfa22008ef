//! Names in references, and the relations of references.

use entity::content::page_links::LinkRole;
use openapi::models::{ContentRef, ContentReferenceRelation as Relation};

use crate::areas::library::link_targets::slug;

/// The anchor that a reference names.
pub fn anchor(reference: &ContentRef) -> Option<&str> {
    match reference {
        ContentRef::ContentRefAnchor(it) => Some(&it.anchor),
        _ => None,
    }
}

/// The anchor or the slug that a reference names beside its target.
pub fn name(reference: &ContentRef) -> Option<&str> {
    slug(reference).or_else(|| anchor(reference))
}

/// A page depends on the content it embeds, and only references the content it links to.
pub fn relation(role: LinkRole) -> Relation {
    match role {
        LinkRole::Link | LinkRole::File => Relation::Reference,
        LinkRole::Media | LinkRole::Reusable | LinkRole::Specification => Relation::DependsOn,
    }
}
