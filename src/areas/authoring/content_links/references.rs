//! What references name, and their relations.

use content::link_set::LinkTarget;
use entity::page_links::LinkRole;
use openapi::models::{ContentRef, ContentReferenceRelation as Relation};

/// The anchor that a reference names.
pub fn anchor(reference: &ContentRef) -> Option<&str> {
    match reference {
        ContentRef::ContentRefAnchor(it) => Some(&it.anchor),
        _ => None,
    }
}

/// The anchor or the slug that a reference names beside its target.
pub fn name(target: LinkTarget, reference: &ContentRef) -> Option<&str> {
    match reference {
        ContentRef::ContentRefOpenApi(it) if target == LinkTarget::NamedSpecification => Some(&it.spec),
        reference => anchor(reference),
    }
}

/// A page depends on the content it embeds, and only references the content it links to.
pub fn relation(role: LinkRole) -> Relation {
    match role {
        LinkRole::Link | LinkRole::File => Relation::Reference,
        LinkRole::Media | LinkRole::Reusable | LinkRole::Specification => Relation::DependsOn,
    }
}
