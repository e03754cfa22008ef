//! Joining an organization by an invite link, or by the domain of an email address.

use entity::{
    ids::{InviteId, OrganizationId, PermissionId, UserId},
    library::{
        nodes::{self, NodeKind},
        permissions,
    },
    organizations::members::MemberRole,
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::ReadRows;
use serde_json::{Value, json};

use super::{store, unknown};
use crate::{
    access::node_levels::{Member, level},
    areas::{
        library::{invite_links, tree},
        organizations::{members, organizations},
    },
    kernel::{
        Kernel,
        audit::{Actor, Changed},
        wire::ToWire,
    },
};

pub async fn by_link(
    kernel: &Kernel,
    by: impl Into<Actor>,
    user: UserId,
    organization: OrganizationId,
    invite: InviteId,
) -> Result<(), ApiError> {
    let (now, permission) = (kernel.clock.now(), kernel.ids.next());
    let work = move |tx| async move {
        let link = invite_links::find(&tx, organization, invite, now).await?;
        let link = link.filter(|link| link.is_for(user));
        let link = link.ok_or_else(unknown)?;
        let member = members::store::find(&tx, organization, user).await?;
        if member.as_ref().is_some_and(|member| member.disabled) {
            return Err(unknown());
        }
        if !link.is_personal() {
            store::require_allowed(&tx, organization).await?;
            if member.is_none() && members::removed::is_noted(&tx, organization, user).await? {
                return Err(unknown());
            }
        }
        let role = match link.node {
            Some(_) => None,
            None => link.row.role,
        };
        let had = member.map(|member| member.role);
        let mut changed = raise_role(&tx, organization, user, had, role, now).await?;
        if link.row.sso {
            changed |= members::store::set_sso(&tx, organization, user).await?;
        }
        if let (Some(node), Some(level)) = (&link.node, link.row.role) {
            let role = Ord::max(had.flatten(), role);
            let member = Member::new(organization, user, role);
            changed |= grant_level(&tx, &member, node, level, permission, now).await?;
        }
        let payload = describe_grant(link.row.role, link.node.as_ref());
        let target = changed.then(|| members::target(organization, user));
        Changed::if_some(target).with(payload)
    };
    kernel.write(by, work).await
}

/// `domain`: the one of the user's address, if the address is verified.
pub async fn by_domain(
    kernel: &Kernel,
    by: impl Into<Actor>,
    user: UserId,
    domain: Option<String>,
    organization: OrganizationId,
) -> Result<(), ApiError> {
    let unknown = || ApiError::not_found("organization");
    let now = kernel.clock.now();
    let work = move |tx| async move {
        match members::store::find(&tx, organization, user).await? {
            Some(member) if member.disabled => return Err(unknown()),
            Some(_) => return Ok(Changed::nothing(())),
            None if members::removed::is_noted(&tx, organization, user).await? => return Err(unknown()),
            None => {}
        }
        let allowed = match domain {
            Some(domain) => organizations::domain_store::allows(&tx, organization, domain).await?,
            None => false,
        };
        let found = organizations::store::find(&tx, organization).await?;
        // Nobody outside learns which organizations exist.
        let row = found.filter(|_| allowed).ok_or_else(unknown)?;
        members::store::add(&tx, organization, user, row.default_role, now).await?;
        Changed::of(members::target(organization, user), ()).with(describe_grant(row.default_role, None))
    };
    kernel.write(by, work).await
}

/// Makes a user a member with at least this role; `had` is the role of an existing member. Returns whether that changed
/// anything.
async fn raise_role(
    db: &impl ReadRows,
    organization: OrganizationId,
    user: UserId,
    had: Option<Option<MemberRole>>,
    role: Option<MemberRole>,
    now: Timestamp,
) -> Result<bool, ApiError> {
    match had {
        None => members::store::add(db, organization, user, role, now).await,
        Some(had) if had < role => members::store::set_role(db, organization, user, role).await,
        Some(_) => Ok(false),
    }
}

/// Grants a member at least this level on a node. Returns whether that changed anything.
async fn grant_level(
    db: &impl ReadRows,
    member: &Member,
    node: &nodes::Model,
    to: MemberRole,
    id: PermissionId,
    now: Timestamp,
) -> Result<bool, ApiError> {
    if level(db, member, node).await? >= Some(to) {
        return Ok(false);
    }
    let permission = permissions::Model {
        id,
        organization_id: member.organization,
        node_id: node.id,
        user_id: Some(member.user),
        team_id: None,
        role: to,
        created_at: now,
    };
    tree::store::upsert_permissions(db, vec![permission]).await?;
    Ok(true)
}

/// The granted role or level, for the audit log.
fn describe_grant(role: Option<MemberRole>, on: Option<&nodes::Model>) -> Value {
    let role = role.map(ToWire::to_wire);
    match on {
        None => json!({ "role": role }),
        Some(node) => match node.kind {
            NodeKind::Space => json!({ "space": node.id, "level": role }),
            NodeKind::Collection => json!({ "collection": node.id, "level": role }),
        },
    }
}
