//! Links of pages.

use entity::ids::NodeId;

use super::{client::Call, world::Person};

/// The list of the links of a space.
pub fn links(person: &Person, space: NodeId) -> Call<'_> {
    person.client.call("listSpaceLinks").space(space)
}

/// The list of the links to a page of a space.
pub fn backlinks<'w>(person: &'w Person, space: NodeId, page: &str) -> Call<'w> {
    person
        .client
        .call("listSpacePageBacklinks")
        .space(space)
        .path("pageId", page)
}
