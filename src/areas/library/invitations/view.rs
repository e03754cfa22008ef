//! Invite links on the wire.

use entity::{
    library::{
        invitations::Model,
        nodes::{self, NodeKind},
    },
    organizations::members::MemberRole,
};
use openapi::{
    error::ApiError,
    models::{
        Collection, InviteLinkToCollection, InviteLinkToOrganization, InviteLinkToSpace, OrganizationInviteLink, Space,
    },
};

use crate::{
    access::rows,
    areas::library::{collections, invite_links::InviteLink, spaces},
    kernel::{Kernel, wire::ToWire},
};

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
pub async fn link(
    kernel: &Kernel,
    link: InviteLink,
    own: Option<MemberRole>,
) -> Result<OrganizationInviteLink, ApiError> {
    let InviteLink { row, node } = link;
    let (id, given) = (row.id.to_string(), row.role.map(ToWire::to_wire).into());
    Ok(match node {
        None => OrganizationInviteLink::InviteLinkToOrganization(link_to_organization(&row, own)),
        Some(node) if node.kind == NodeKind::Space => OrganizationInviteLink::InviteLinkToSpace(InviteLinkToSpace {
            object: Default::default(),
            id,
            level: given,
            redundant: true,
            space: space(kernel, &node).await?,
        }),
        Some(node) => OrganizationInviteLink::InviteLinkToCollection(InviteLinkToCollection {
            object: Default::default(),
            id,
            level: given,
            redundant: true,
            collection: collection(kernel, &node).await?,
        }),
    })
}

async fn space(kernel: &Kernel, node: &nodes::Model) -> Result<Space, ApiError> {
    let found = rows::find_row(kernel.db.read(), node.organization_id, node.id).await;
    let row = found?.ok_or_else(|| ApiError::not_found("space"))?;
    spaces::view_one(kernel, row, Some(MemberRole::Admin)).await
}

async fn collection(kernel: &Kernel, node: &nodes::Model) -> Result<Collection, ApiError> {
    let found = rows::find_row(kernel.db.read(), node.organization_id, node.id).await;
    let row = found?.ok_or_else(|| ApiError::not_found("collection"))?;
    Ok(collections::view::collection(
        &kernel.urls,
        row,
        Some(MemberRole::Admin),
    ))
}
