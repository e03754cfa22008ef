//! Invite links on the wire.

use entity::{
    invitations::Model,
    members::MemberRole,
    nodes::{self, NodeKind},
};
use openapi::{
    error::ApiError,
    models::{Collection, InviteLinkToOrganization, OrganizationInviteLink, Space},
    values::Maybe,
};

use crate::{
    app::{App, wire::ToWire},
    areas::library::{collections, spaces, tree},
};

use super::store::Link;

/// A link to the organization, for a member with this role in it.
pub fn link_to_organization(row: &Model, own: Option<MemberRole>) -> InviteLinkToOrganization {
    InviteLinkToOrganization {
        object: Default::default(),
        id: row.id.to_string(),
        role: row.role.map(ToWire::to_wire).into(),
        redundant: own >= row.role,
    }
}

/// A link of any kind, for a member with this role in the organization who administers what the link is to.
pub async fn link(app: &App, link: Link, own: Option<MemberRole>) -> Result<OrganizationInviteLink, ApiError> {
    let Link { row, node } = link;
    let given = row.role.map(ToWire::to_wire).into();
    let plain = OrganizationInviteLink {
        object: Default::default(),
        id: row.id.to_string(),
        role: Maybe::Absent,
        level: Maybe::Absent,
        redundant: true,
        space: None,
        collection: None,
    };
    Ok(match node {
        None => OrganizationInviteLink {
            role: given,
            redundant: own >= row.role,
            ..plain
        },
        Some(node) if node.kind == NodeKind::Space => OrganizationInviteLink {
            level: given,
            space: Some(space(app, &node).await?),
            ..plain
        },
        Some(node) => OrganizationInviteLink {
            level: given,
            collection: Some(collection(app, &node).await?),
            ..plain
        },
    })
}

async fn space(app: &App, node: &nodes::Model) -> Result<Space, ApiError> {
    let found = tree::store::find_row(app.db.read(), node.organization_id, node.id).await;
    let row = found?.ok_or_else(|| ApiError::not_found("space"))?;
    spaces::view_one(app, row, Some(MemberRole::Admin)).await
}

async fn collection(app: &App, node: &nodes::Model) -> Result<Collection, ApiError> {
    let found = tree::store::find_row(app.db.read(), node.organization_id, node.id).await;
    let row = found?.ok_or_else(|| ApiError::not_found("collection"))?;
    Ok(collections::view::collection(&app.urls, row, Some(MemberRole::Admin)))
}
