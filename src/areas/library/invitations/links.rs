//! Invite links for anybody who has them: creating, changing and deleting them.
//!
//! Each operation requires `admin` on the target of the link, so that nobody grants a level by a link that they do not have.

use entity::{library::invitations::Model, organizations::members::MemberRole};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorRule},
    models::{CreateOrganizationInvite, OrganizationInviteLink, UpdateOrganizationInvite},
};

use super::{store, target, unknown, view};
use crate::{
    access::TargetAccess,
    areas::library::{
        guard::{DeletableInviteLinkAccess, InviteLinkAccess},
        invite_links::{self, InviteLink},
        tree,
    },
    kernel::{Kernel, audit::Changed, wire::ToStored},
};

pub async fn create(
    kernel: &Kernel,
    access: TargetAccess,
    body: CreateOrganizationInvite,
) -> Result<Created<OrganizationInviteLink>, ApiError> {
    let payload = serde_json::to_value(&body)?;
    let role = granted_role(body);
    let TargetAccess { caller, member, node } = access;
    let now = kernel.clock.now();
    let row = Model {
        id: super::new_id(kernel)?,
        organization_id: member.organization,
        role,
        node_id: node.as_ref().map(|node| node.id),
        user_id: None,
        invitee_id: None,
        sso: false,
        email: None,
        created_at: now,
        expires_at: store::expiry(now),
        created_by: member.user,
    };
    let work = move |tx| async move {
        let node = match node {
            Some(node) => Some(tree::reload(&tx, &node).await?),
            None => None,
        };
        store::require_allowed(&tx, member.organization).await?;
        store::insert(&tx, vec![row.clone()]).await?;
        Changed::of(target(&row), InviteLink { row, node }).with(payload)
    };
    let link = kernel.write(&caller, work).await?;
    Ok(Created {
        location: kernel.urls.link_invite(member.organization, link.row.id),
        body: view::link(kernel, link, member.role).await?,
    })
}

pub async fn update(
    kernel: &Kernel,
    access: InviteLinkAccess,
    body: UpdateOrganizationInvite,
) -> Result<OrganizationInviteLink, ApiError> {
    let InviteLinkAccess { caller, member, link } = access;
    let (id, now) = (link.row.id, kernel.clock.now());
    let payload = serde_json::to_value(&body)?;
    let role = new_role(body, &link)?;
    let work = move |tx| async move {
        let found = invite_links::find(&tx, member.organization, id, now).await?;
        let mut link = found.ok_or_else(unknown)?;
        if link.row.role == role {
            return Ok(Changed::nothing(link));
        }
        store::set_role(&tx, id, role).await?;
        link.row.role = role;
        Changed::of(target(&link.row), link).with(payload)
    };
    let link = kernel.write(&caller, work).await?;
    view::link(kernel, link, member.role).await
}

pub async fn delete(kernel: &Kernel, access: DeletableInviteLinkAccess) -> Result<(), ApiError> {
    let DeletableInviteLinkAccess { caller, member, link } = access;
    let Some(link) = link else {
        return Ok(());
    };
    let (id, now) = (link.row.id, kernel.clock.now());
    let work = move |tx| async move {
        let Some(link) = invite_links::find(&tx, member.organization, id, now).await? else {
            return Ok(Changed::nothing(()));
        };
        store::remove(&tx, id).await?;
        Ok(Changed::of(target(&link.row), ()))
    };
    kernel.write(&caller, work).await
}

/// The role or level that a new link grants.
fn granted_role(body: CreateOrganizationInvite) -> Option<MemberRole> {
    let granted = match body {
        CreateOrganizationInvite::InviteToOrganization(link) => link.role,
        CreateOrganizationInvite::InviteToSpace(link) => link.level,
        CreateOrganizationInvite::InviteToCollection(link) => link.level,
    };
    granted.0.map(ToStored::to_stored)
}

/// The new role or level of a link; refuses the member of the body that does not fit the target.
fn new_role(body: UpdateOrganizationInvite, link: &InviteLink) -> Result<Option<MemberRole>, ApiError> {
    let given = match (body, &link.node) {
        (UpdateOrganizationInvite::UpdateInviteRole(change), None) => change.role,
        (UpdateOrganizationInvite::UpdateInviteLevel(change), Some(_)) => change.level,
        (_, target) => {
            let message = match target {
                None => "Has to have `role`, because the link is to the organization.",
                Some(_) => "Has to have `level`, because the link is to a space or collection.",
            };
            return Err(ApiError::invalid_member("/body", ErrorRule::Form, message));
        }
    };
    Ok(given.0.map(ToStored::to_stored))
}
