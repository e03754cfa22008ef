//! Moving a node within its organization.

use entity::{
    ids::NodeId,
    members::MemberRole,
    nodes::{Entity, Model, NodeKind},
    timestamp::Timestamp,
};
use openapi::{
    error::ApiError,
    models::{ContentPointer, ContentPosition, MoveContent},
    values::Maybe,
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ConnectionTrait, IntoActiveModel};

use crate::{
    access::node_levels::{self, Member},
    areas::library::tree::ordering::{Found, Place, Siblings},
};

use super::{ancestry, defaults, store};

/// Refuses to put something into a collection, or at the top level, without the right to create something there.
pub async fn require_create(
    db: &impl ConnectionTrait,
    member: &Member,
    parent: Option<NodeId>,
) -> Result<(), ApiError> {
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
            Some(_) => "This needs the level create on the collection that it goes into.",
        };
        return Err(ApiError::forbidden(message));
    }
    Ok(())
}

/// Moves a node; one that stands there already is a conflict.
pub async fn relocate(
    db: &impl ConnectionTrait,
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
        Maybe::Value(id) => Some(id.parse().map_err(|_| ApiError::not_found("collection"))?),
        Maybe::Null => None,
        Maybe::Absent => match before.as_ref().or(after.as_ref()) {
            Some(neighbour) => neighbour.parent_id,
            None => node.parent_id,
        },
    };
    require_create(db, member, parent).await?;
    if node.kind == NodeKind::Collection {
        require_outside(db, node.id, parent).await?;
        ancestry::require_depth(db, Some(node.id), parent).await?;
    }
    let siblings = Siblings {
        organization: member.organization,
        parent,
        moving: node.id,
    };
    let position = place(db, &siblings, node, before, after).await?;
    put(db, node, parent, position, now).await
}

async fn put(
    db: &impl ConnectionTrait,
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
        ancestry::reattach(db, node.id, parent).await?;
        row.effective_default = defaults::spread(db, node.id, node.default_level, parent).await?;
    }
    Ok(row)
}

/// A collection cannot lie in itself.
async fn require_outside(
    db: &impl ConnectionTrait,
    collection: NodeId,
    parent: Option<NodeId>,
) -> Result<(), ApiError> {
    let Some(parent) = parent else {
        return Ok(());
    };
    if ancestry::is_below(db, parent, collection).await? {
        let message = "A collection cannot go into itself or into what it holds.";
        return Err(ApiError::precondition_failed("own-subtree", message));
    }
    Ok(())
}

async fn place(
    db: &impl ConnectionTrait,
    siblings: &Siblings,
    node: &Model,
    before: Option<Model>,
    after: Option<Model>,
) -> Result<i64, ApiError> {
    let (place, side) = match (&before, &after) {
        (_, Some(after)) => (Place::After(after.id), "after"),
        (Some(before), None) => (Place::Before(before.id), "before"),
        (None, None) => (Place::End, "after"),
    };
    if let (Some(before), Some(after)) = (&before, &after)
        && siblings.following(db, after.id).await? != Some(before.id)
    {
        let message = "Does not follow `after` directly.";
        return Err(ApiError::invalid_member(
            "/body/position/before",
            "not-adjacent",
            message,
        ));
    }
    match siblings.position(db, place, Some(node)).await? {
        Found::Position(position) => Ok(position),
        Found::Here => Err(ApiError::conflict("unchanged", "It stands there already.")),
        Found::NoNeighbour => Err(no_neighbour(side)),
    }
}

fn no_neighbour(side: &str) -> ApiError {
    let message = "Is nothing that stands where this goes.";
    ApiError::invalid_member(format!("/body/position/{side}"), "no-neighbour", message)
}

/// The node that a pointer names, if the member sees it.
async fn neighbour(
    db: &impl ConnectionTrait,
    member: &Member,
    pointer: Option<ContentPointer>,
    side: &str,
) -> Result<Option<Model>, ApiError> {
    let (kind, id) = match pointer {
        None => return Ok(None),
        Some(ContentPointer::SpacePointer(pointer)) => (NodeKind::Space, pointer.space),
        Some(ContentPointer::CollectionPointer(pointer)) => (NodeKind::Collection, pointer.collection),
    };
    let id: NodeId = id.parse().map_err(|_| no_neighbour(side))?;
    let found = store::find(db, member.organization, kind, id).await?;
    let found = found.ok_or_else(|| no_neighbour(side))?;
    match node_levels::level(db, member, &found).await? {
        Some(_) => Ok(Some(found)),
        None => Err(no_neighbour(side)),
    }
}

/// The node again, as it is now: what access was decided on may have changed since.
pub async fn again(db: &impl ConnectionTrait, node: &Model) -> Result<Model, ApiError> {
    use sea_orm::EntityTrait;
    let found = Entity::find_by_id(node.id).one(db).await?;
    let found = found.filter(|now| now.organization_id == node.organization_id && now.deleted_at.is_none());
    let what = match node.kind {
        NodeKind::Space => "space",
        NodeKind::Collection => "collection",
    };
    found.ok_or_else(|| ApiError::not_found(what))
}
