//! Invite links for anybody who has them: creating, reading, changing and deleting them.
//!
//! Each operation requires `admin` on the target of the link, so that nobody grants a level by a link that they do not have.

use entity::{
    ids::{InviteId, NodeId},
    invitations::Model,
    members::MemberRole,
    nodes::{self, NodeKind},
    timestamp::Timestamp,
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorRule},
    models::{CreateOrganizationInvite, OrganizationInviteLink, UpdateOrganizationInvite},
};
use platform::db::ReadRows;

use crate::{
    access::{
        OrganizationAccess,
        node_levels::{Member, level},
    },
    app::{App, audit::Changed, wire::ToStored},
    areas::library::tree,
};

use super::{
    store::{self, Link},
    target, unknown, view,
};

pub async fn create(
    app: &App,
    access: &OrganizationAccess,
    body: CreateOrganizationInvite,
) -> Result<Created<OrganizationInviteLink>, ApiError> {
    let payload = serde_json::to_value(&body)?;
    let NewLink { role, to } = new_link(body)?;
    let (member, now) = (access.member(), app.clock.now());
    let row = Model {
        id: super::new_id(app)?,
        organization_id: member.organization,
        role,
        node_id: to.map(|(_, node)| node),
        user_id: None,
        invitee_id: None,
        sso: false,
        email: None,
        created_at: now,
        expires_at: store::expiry(now),
        created_by: member.user,
    };
    let work = move |tx| async move {
        let node = match to {
            Some((kind, id)) => Some(node(&tx, &member, kind, id).await?),
            None => None,
        };
        if node.is_none() {
            require_admin(&member)?;
        }
        store::require_allowed(&tx, member.organization).await?;
        store::insert(&tx, vec![row.clone()]).await?;
        Changed::of(target(&row), Link { row, node }).with(payload)
    };
    let link = app.write(&access.caller, work).await?;
    Ok(Created {
        location: app.urls.link_invite(member.organization, link.row.id),
        body: view::link(app, link, access.role).await?,
    })
}

pub async fn get(app: &App, access: &OrganizationAccess, id: InviteId) -> Result<OrganizationInviteLink, ApiError> {
    let found = find(app.db.read(), &access.member(), id, app.clock.now()).await?;
    view::link(app, found.ok_or_else(unknown)?, access.role).await
}

pub async fn update(
    app: &App,
    access: &OrganizationAccess,
    id: InviteId,
    body: UpdateOrganizationInvite,
) -> Result<OrganizationInviteLink, ApiError> {
    let (member, now) = (access.member(), app.clock.now());
    let payload = serde_json::to_value(&body)?;
    let work = move |tx| async move {
        let mut link = find(&tx, &member, id, now).await?.ok_or_else(unknown)?;
        let role = new_role(body, &link)?;
        if link.row.role == role {
            return Ok(Changed::nothing(link));
        }
        store::set_role(&tx, id, role).await?;
        link.row.role = role;
        Changed::of(target(&link.row), link).with(payload)
    };
    let link = app.write(&access.caller, work).await?;
    view::link(app, link, access.role).await
}

pub async fn delete(app: &App, access: &OrganizationAccess, id: InviteId) -> Result<(), ApiError> {
    let (member, now) = (access.member(), app.clock.now());
    let work = move |tx| async move {
        let Some(link) = find(&tx, &member, id, now).await? else {
            return Ok(Changed::nothing(()));
        };
        store::remove(&tx, id).await?;
        Ok(Changed::of(target(&link.row), ()))
    };
    app.write(&access.caller, work).await
}

/// The role or level that a new link grants, and its target. `None`: the organization itself.
struct NewLink {
    role: Option<MemberRole>,
    to: Option<(NodeKind, NodeId)>,
}

fn new_link(body: CreateOrganizationInvite) -> Result<NewLink, ApiError> {
    let CreateOrganizationInvite {
        role,
        level,
        space,
        collection,
    } = body;
    let (given, to) = match (role.into_change(), level.into_change(), space, collection) {
        (Some(role), None, None, None) => (role, None),
        (None, Some(level), Some(space), None) => (level, Some((NodeKind::Space, space))),
        (None, Some(level), None, Some(collection)) => (level, Some((NodeKind::Collection, collection))),
        _ => {
            let message = "Has to have either `role`, or `level` and `space`, or `level` and `collection`.";
            return Err(ApiError::invalid_member("/body", ErrorRule::Form, message));
        }
    };
    let role = given.map(ToStored::to_stored);
    Ok(NewLink { role, to })
}

/// The new role or level of a link; refuses the member of the body that does not fit the target.
fn new_role(body: UpdateOrganizationInvite, link: &Link) -> Result<Option<MemberRole>, ApiError> {
    let UpdateOrganizationInvite { role, level } = body;
    let (given, fits) = match (role.into_change(), level.into_change()) {
        (Some(role), None) => (role, link.node.is_none()),
        (None, Some(level)) => (level, link.node.is_some()),
        _ => (None, false),
    };
    if !fits {
        let message = match &link.node {
            None => "Has to have `role`, because the link is to the organization.",
            Some(_) => "Has to have `level`, because the link is to a space or collection.",
        };
        return Err(ApiError::invalid_member("/body", ErrorRule::Form, message));
    }
    Ok(given.map(ToStored::to_stored))
}

/// A link whose target the member sees; requires `admin` on the target.
async fn find(db: &impl ReadRows, member: &Member, id: InviteId, now: Timestamp) -> Result<Option<Link>, ApiError> {
    let Some(link) = store::find(db, member.organization, id, now).await? else {
        return Ok(None);
    };
    let seen = match &link.node {
        Some(node) => require_admin_if_visible(db, member, node).await?,
        None => require_admin(member).map(|()| true)?,
    };
    Ok(seen.then_some(link))
}

/// The node that a new link is to.
async fn node(db: &impl ReadRows, member: &Member, kind: NodeKind, id: NodeId) -> Result<nodes::Model, ApiError> {
    let unknown = || ApiError::not_found(kind.name());
    let found = tree::store::find(db, member.organization, kind, id).await?;
    let node = found.ok_or_else(unknown)?;
    if !require_admin_if_visible(db, member, &node).await? {
        return Err(unknown());
    }
    Ok(node)
}

/// Returns whether the member sees a node; requires `admin` of members who see it.
async fn require_admin_if_visible(db: &impl ReadRows, member: &Member, node: &nodes::Model) -> Result<bool, ApiError> {
    match level(db, member, node).await? {
        None => Ok(false),
        Some(MemberRole::Admin) => Ok(true),
        Some(_) => {
            let message = format!("This needs the level admin on the {}.", node.kind.name());
            Err(ApiError::forbidden(message))
        }
    }
}

fn require_admin(member: &Member) -> Result<(), ApiError> {
    if member.is_admin() {
        return Ok(());
    }
    Err(ApiError::forbidden("This needs the role admin in the organization."))
}
