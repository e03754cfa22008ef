//! Moves of a node within its organization.

use entity::{
    ids::NodeId,
    library::nodes::{Model, NodeKind},
    organizations::members::MemberRole,
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::{ContentPointer, ContentPosition, MoveContent},
    values::Maybe,
};
use platform::db::ReadRows;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, IntoActiveModel};

use super::{ancestors, default_levels, store};
use crate::{
    access::node_levels::{self, Member},
    areas::library::tree::ordering::{InsertAt, Siblings, Slot},
};

/// Requires the level `create` on a collection, or the role `create` for the top level.
pub async fn require_create(db: &impl ReadRows, member: &Member, parent: Option<NodeId>) -> Result<(), ApiError> {
    let level = match parent {
        None => member.role,
        Some(parent) => {
            let unknown = || ApiError::not_found("collection");
            let found = store::find(db, member.organization, NodeKind::Collection, parent).await?;
            let level = node_levels::level(db, member, &found.ok_or_else(unknown)?).await?;
            Some(level.ok_or_else(unknown)?)
        }
    };
    if level < Some(MemberRole::Create) {
        let message = match parent {
            None => "This needs the role create in the organization.",
            Some(_) => "This needs the level create on the target collection.",
        };
        return Err(ApiError::forbidden(message));
    }
    Ok(())
}

/// Moves a node; 409 if it is at the target position already.
pub async fn move_node(
    db: &impl ReadRows,
    member: &Member,
    node: &Model,
    to: MoveContent,
    now: Timestamp,
) -> Result<Model, ApiError> {
    let MoveContent { parent, position } = to;
    let ContentPosition { before, after } = position.unwrap_or(ContentPosition {
        before: None,
        after: None,
    });
    let before = neighbour(db, member, before, "before").await?;
    let after = neighbour(db, member, after, "after").await?;
    let parent = match parent {
        Maybe::Value(id) => Some(id),
        Maybe::Null => None,
        Maybe::Absent => match before.as_ref().or(after.as_ref()) {
            Some(neighbour) => neighbour.parent_id,
            None => node.parent_id,
        },
    };
    require_create(db, member, parent).await?;
    if node.kind == NodeKind::Collection {
        require_outside(db, node.id, parent).await?;
        ancestors::require_depth(db, Some(node.id), parent).await?;
    }
    let siblings = Siblings {
        organization: member.organization,
        parent,
        moving: node.id,
    };
    let position = find_position(db, &siblings, node, before, after).await?;
    update(db, node, parent, position, now).await
}

async fn update(
    db: &impl ReadRows,
    node: &Model,
    parent: Option<NodeId>,
    position: i64,
    now: Timestamp,
) -> Result<Model, ApiError> {
    let mut row = node.clone().into_active_model();
    row.parent_id = Set(parent);
    row.position = Set(position);
    row.updated_at = Set(now);
    let mut row = row.update(db).await?;
    if parent != node.parent_id {
        ancestors::move_subtree(db, node.id, parent).await?;
        row.effective_default = default_levels::propagate(db, node.id, node.default_level, parent).await?;
    }
    Ok(row)
}

/// Refuses to move a collection into itself.
async fn require_outside(db: &impl ReadRows, collection: NodeId, parent: Option<NodeId>) -> Result<(), ApiError> {
    let Some(parent) = parent else {
        return Ok(());
    };
    if ancestors::is_descendant(db, parent, collection).await? {
        let message = "A collection cannot be moved into itself or into a collection below it.";
        return Err(ApiError::new(ErrorType::OwnSubtree, message));
    }
    Ok(())
}

async fn find_position(
    db: &impl ReadRows,
    siblings: &Siblings,
    node: &Model,
    before: Option<Model>,
    after: Option<Model>,
) -> Result<i64, ApiError> {
    let (at, side) = match (&before, &after) {
        (_, Some(after)) => (InsertAt::After(after.id), "after"),
        (Some(before), None) => (InsertAt::Before(before.id), "before"),
        (None, None) => (InsertAt::End, "after"),
    };
    if let (Some(before), Some(after)) = (&before, &after)
        && siblings.next_sibling(db, after.id).await? != Some(before.id)
    {
        let message = "`position.before` does not directly follow `position.after`.";
        return Err(ApiError::invalid_member(
            "/body/position/before",
            ErrorRule::NotAdjacent,
            message,
        ));
    }
    match siblings.position(db, at, Some(node)).await? {
        Slot::Free(position) => Ok(position),
        Slot::Unchanged => Err(ApiError::new(
            ErrorType::Unchanged,
            "The node is at this position already.",
        )),
        Slot::NotASibling => Err(not_a_sibling(side)),
    }
}

fn not_a_sibling(side: &str) -> ApiError {
    let message = format!("`position.{side}` is not a sibling at the target position.");
    ApiError::invalid_member(format!("/body/position/{side}"), ErrorRule::NoNeighbour, message)
}

/// The node that a pointer names; refused unless the member sees it.
async fn neighbour(
    db: &impl ReadRows,
    member: &Member,
    pointer: Option<ContentPointer>,
    side: &str,
) -> Result<Option<Model>, ApiError> {
    let (kind, id) = match pointer {
        None => return Ok(None),
        Some(ContentPointer::SpacePointer(pointer)) => (NodeKind::Space, pointer.space),
        Some(ContentPointer::CollectionPointer(pointer)) => (NodeKind::Collection, pointer.collection),
    };
    let found = store::find(db, member.organization, kind, id).await?;
    let found = found.ok_or_else(|| not_a_sibling(side))?;
    match node_levels::level(db, member, &found).await? {
        Some(_) => Ok(Some(found)),
        None => Err(not_a_sibling(side)),
    }
}
