//! Operations of spaces and collections alike.

use entity::{ids::NodeId, library::nodes::Model, organizations::members::MemberRole};
use openapi::{
    error::ApiError,
    models::{MoveContent, TransferContent},
};
use sea_orm::QueryTrait;
use serde_json::json;

use super::{ancestors::with_descendants, deletion, relocation, store, transfer, visibility};
use crate::{
    access::{
        Caller, DeletableAccess,
        node_levels::{self, Member},
        rows::{self, NodeRow},
    },
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
    },
};

/// The target of events about a space or a collection.
pub fn target(node: &Model) -> AuditTarget {
    let kind = node.kind.name();
    AuditTarget::in_organization(node.organization_id, kind, node.id).labelled(&node.title)
}

/// A space or a collection as it is now, with the level of a member on it.
pub async fn load<R: NodeRow>(
    kernel: &Kernel,
    member: &Member,
    node: NodeId,
) -> Result<(R, Option<MemberRole>), ApiError> {
    let db = kernel.db.read();
    let found = rows::find_row::<R>(db, member.organization, node).await?;
    let row = found.ok_or_else(|| ApiError::not_found(R::KIND.name()))?;
    let level = node_levels::level(db, member, row.node()).await?;
    Ok((row, level))
}

pub async fn delete(kernel: &Kernel, access: DeletableAccess) -> Result<(), ApiError> {
    let Some(node) = access.node else {
        return Ok(());
    };
    let (hooks, now) = (kernel.hooks.clone(), kernel.clock.now());
    let work = move |tx| async move {
        let deleted = deletion::delete(&tx, node.id, now).await?;
        let events = hooks
            .spaces_removed(&tx, &with_descendants(node.id).into_query())
            .await?;
        let left = Changed::nothing(()).and_all(events)?;
        Ok(if deleted { left.and(target(&node)) } else { left })
    };
    kernel.write(&access.caller, work).await?;
    kernel.jobs.wake();
    Ok(())
}

pub async fn move_node(
    kernel: &Kernel,
    caller: &Caller,
    member: Member,
    node: Model,
    body: MoveContent,
) -> Result<(), ApiError> {
    let (hooks, now) = (kernel.hooks.clone(), kernel.clock.now());
    let payload = serde_json::to_value(&body)?;
    let work = move |tx| async move {
        let node = store::reload(&tx, &node).await?;
        let spaces = visibility::adapted(node.id);
        let visibilities = hooks.visibility_changes(&tx, node.organization_id, &spaces).await?;
        let moved = relocation::move_node(&tx, &member, &node, body, now).await?;
        visibility::adapt(&tx, &moved).await?;
        hooks.visibility_changed(&tx, visibilities).await?;
        Changed::of(target(&moved), ()).with(payload)
    };
    kernel.write(caller, work).await?;
    kernel.jobs.wake();
    Ok(())
}

/// Returns the caller as a member of the organization that the node belongs to now.
pub async fn transfer_node(
    kernel: &Kernel,
    caller: &Caller,
    member: Member,
    node: Model,
    body: TransferContent,
) -> Result<Member, ApiError> {
    let TransferContent { organization: to } = body;
    let (hooks, permission, now) = (kernel.hooks.clone(), kernel.ids.next(), kernel.clock.now());
    let work = move |tx| async move {
        let node = store::reload(&tx, &node).await?;
        if to != node.organization_id {
            hooks.spaces_leave(&tx).await?;
        }
        let (moved, member) = transfer::transfer_node(&tx, &member, &node, to, permission, now).await?;
        visibility::adapt(&tx, &moved).await?;
        let events = match moved.organization_id == node.organization_id {
            true => Vec::new(),
            false => {
                hooks
                    .spaces_removed(&tx, &with_descendants(node.id).into_query())
                    .await?
            }
        };
        let left = Changed::nothing(member).and_all(events)?;
        let given = left.and(target(&node)).with(json!({ "organization": to }))?;
        given.and(target(&moved)).with(json!({ "from": node.organization_id }))
    };
    let member = kernel.write(caller, work).await?;
    kernel.jobs.wake();
    Ok(member)
}
