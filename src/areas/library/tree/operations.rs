//! Operations of spaces and collections alike.

use entity::{ids::NodeId, members::MemberRole, nodes::Model};
use openapi::{
    error::ApiError,
    models::{MoveContent, TransferContent},
};
use sea_orm::QueryTrait;
use serde_json::json;

use crate::{
    access::{
        Caller, DeletableAccess,
        node_levels::{self, Member},
        rows::{self, NodeRow},
    },
    app::{
        App,
        audit::{AuditTarget, Changed},
        site_spaces,
    },
};

use super::{ancestors::with_descendants, deletion, relocation, store, transfer, visibility};

/// The target of events about a space or a collection.
pub fn target(node: &Model) -> AuditTarget {
    let kind = node.kind.name();
    AuditTarget::in_organization(node.organization_id, kind, node.id).labelled(&node.title)
}

/// A space or a collection as it is now, with the level of a member on it.
pub async fn load<R: NodeRow>(app: &App, member: &Member, node: NodeId) -> Result<(R, Option<MemberRole>), ApiError> {
    let db = app.db.read();
    let found = rows::find_row::<R>(db, member.organization, node).await?;
    let row = found.ok_or_else(|| ApiError::not_found(R::KIND.name()))?;
    let level = node_levels::level(db, member, row.node()).await?;
    Ok((row, level))
}

pub async fn delete(app: &App, access: DeletableAccess) -> Result<(), ApiError> {
    let Some(node) = access.node else {
        return Ok(());
    };
    let now = app.clock.now();
    let work = move |tx| async move {
        let deleted = deletion::delete(&tx, node.id, now).await?;
        let sites = site_spaces::remove(&tx, with_descendants(node.id).into_query()).await?;
        let left = site_spaces::note(Changed::nothing(()), &sites)?;
        Ok(if deleted { left.and(target(&node)) } else { left })
    };
    app.write(&access.caller, work).await
}

pub async fn move_node(
    app: &App,
    caller: &Caller,
    member: Member,
    node: Model,
    body: MoveContent,
) -> Result<(), ApiError> {
    let now = app.clock.now();
    let payload = serde_json::to_value(&body)?;
    let work = move |tx| async move {
        let node = store::reload(&tx, &node).await?;
        let moved = relocation::move_node(&tx, &member, &node, body, now).await?;
        visibility::adapt(&tx, &moved).await?;
        Changed::of(target(&moved), ()).with(payload)
    };
    app.write(caller, work).await
}

/// Returns the caller as a member of the organization that the node belongs to now.
pub async fn transfer_node(
    app: &App,
    caller: &Caller,
    member: Member,
    node: Model,
    body: TransferContent,
) -> Result<Member, ApiError> {
    let TransferContent { organization: to } = body;
    let (permission, now) = (app.ids.next(), app.clock.now());
    let work = move |tx| async move {
        let node = store::reload(&tx, &node).await?;
        let (moved, member) = transfer::transfer_node(&tx, &member, &node, to, permission, now).await?;
        visibility::adapt(&tx, &moved).await?;
        let sites = match moved.organization_id == node.organization_id {
            true => Vec::new(),
            false => site_spaces::remove(&tx, with_descendants(node.id).into_query()).await?,
        };
        let left = site_spaces::note(Changed::nothing(member), &sites)?;
        let given = left.and(target(&node)).with(json!({ "organization": to }))?;
        given.and(target(&moved)).with(json!({ "from": node.organization_id }))
    };
    app.write(caller, work).await
}
