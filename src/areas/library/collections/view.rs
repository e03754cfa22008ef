//! Collections on the wire.

use entity::organizations::members::MemberRole;
use openapi::models::{Collection, CollectionPermissions, CollectionUrls};

use crate::{
    access::rows::CollectionRow,
    kernel::{urls::Urls, wire::ToWire},
};

/// A collection as somebody with this level on it sees it.
pub fn collection(urls: &Urls, row: CollectionRow, level: Option<MemberRole>) -> Collection {
    let CollectionRow { node, collection } = row;
    let at_least = |wanted: MemberRole| level >= Some(wanted);
    Collection {
        object: Default::default(),
        id: node.id.to_string(),
        title: node.title,
        description: collection.description,
        organization: node.organization_id.to_string(),
        parent: node.parent_id.map(|parent| parent.to_string()),
        default_level: node.default_level.map(ToWire::to_wire).into(),
        urls: CollectionUrls {
            location: urls.collection(node.id),
            app: urls.collection_page(node.id),
        },
        permissions: CollectionPermissions {
            view: at_least(MemberRole::Read),
            admin: at_least(MemberRole::Admin),
            view_invite_links: at_least(MemberRole::Admin),
            create: at_least(MemberRole::Create),
        },
    }
}
