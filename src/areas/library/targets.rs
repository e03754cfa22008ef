//! Access to targets within an organization: what a body names, and invite links.

use entity::{
    ids::{InviteId, NodeId},
    library::nodes,
    organizations::members::MemberRole,
};
use openapi::{error::ApiError, guard::OrganizationLevel};

use super::invite_links::{self, InviteLink};
use crate::access::{
    Access, OrganizationAccess, TargetAccess, authorize, basis::Basis, levels, node_levels, rows::NodeRow,
};

/// Requires a level on a space or collection of the organization.
pub async fn node<R: NodeRow>(
    guard: &Access,
    within: OrganizationAccess,
    id: NodeId,
    level: MemberRole,
) -> Result<TargetAccess, ApiError> {
    let OrganizationAccess {
        caller, organization, ..
    } = within;
    let found = authorize::load_node::<R>(guard, &caller, id).await?;
    let found = found.filter(|found| found.row.node().organization_id == organization);
    let authorized = authorize::require(found, &caller, level, None, R::KIND.name())?;
    Ok(TargetAccess {
        caller: caller.allowed_by(authorized.basis()),
        member: authorized.member,
        node: Some(authorized.row.node().clone()),
    })
}

/// Requires a role in the organization, which is the target itself.
pub fn organization(within: OrganizationAccess, level: OrganizationLevel) -> Result<TargetAccess, ApiError> {
    levels::require_role(within.role, level)?;
    Ok(TargetAccess {
        member: within.member(),
        caller: within.caller,
        node: None,
    })
}

/// Loads an invite link, and requires `admin` on its target of callers who see the target. `None`: the caller does not see
/// the target, or there is no such link.
pub async fn invite_link(
    guard: &Access,
    within: &OrganizationAccess,
    id: InviteId,
) -> Result<Option<(InviteLink, Basis)>, ApiError> {
    let (db, member) = (guard.db.read(), within.member());
    let Some(link) = invite_links::find(db, member.organization, id, guard.clock.now()).await? else {
        return Ok(None);
    };
    let Some(node) = &link.node else {
        levels::require_role(member.role, OrganizationLevel::Admin)?;
        return Ok(Some((link, Basis::Organization(member))));
    };
    match node_levels::level(db, &member, node).await? {
        None => Ok(None),
        Some(level) if level < MemberRole::Admin => Err(needs_admin(node)),
        Some(level) => {
            let basis = Basis::Node {
                kind: node.kind,
                member,
                node: node.id,
                level,
                seen: None,
            };
            Ok(Some((link, basis)))
        }
    }
}

fn needs_admin(node: &nodes::Model) -> ApiError {
    ApiError::forbidden(format!("This needs the level admin on the {}.", node.kind.name()))
}
