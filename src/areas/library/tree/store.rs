//! Nodes in the database; the organization is always part of the query.

use entity::{
    ids::{NodeId, OrganizationId},
    library::{
        nodes::{Column, DefaultLevel, Entity, Model, NodeKind},
        permissions,
    },
    organizations::members::MemberRole,
    timestamp::Timestamp,
};
use openapi::error::{ApiError, ErrorType};
use platform::db::rows;
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, Select,
    sea_query::{Expr, OnConflict},
};

use super::{ancestors, default_levels};
use crate::{
    access::{
        node_levels::{Member, effective_level},
        restore_horizon,
        space_counts::SpacesBelow,
    },
    areas::library::tree::ordering::{InsertAt, Siblings, Slot},
    kernel::{Kernel, wire::ToStored},
};

/// The nodes of a kind that are not deleted.
pub fn not_deleted(organization: OrganizationId, kind: NodeKind) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::Kind.eq(kind))
        .filter(Column::DeletedAt.is_null())
}

pub async fn find(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    kind: NodeKind,
    node: NodeId,
) -> Result<Option<Model>, DbErr> {
    not_deleted(organization, kind)
        .filter(Column::Id.eq(node))
        .one(db)
        .await
}

/// The node as it is inside the write transaction; 404 if it was deleted or transferred since the access check.
pub async fn reload(db: &impl ConnectionTrait, node: &Model) -> Result<Model, ApiError> {
    let found = Entity::find_by_id(node.id).one(db).await?;
    let found = found.filter(|now| now.organization_id == node.organization_id && now.deleted_at.is_none());
    found.ok_or_else(|| ApiError::not_found(node.kind.name()))
}

/// The deleted node as it is inside the write transaction; 409 if it was restored since the access check, 404 if it was
/// transferred with a collection, or if the purge has begun.
pub async fn reload_deleted(db: &impl ConnectionTrait, node: &Model, now: Timestamp) -> Result<Model, ApiError> {
    let found = Entity::find_by_id(node.id).one(db).await?;
    let found = found.filter(|now| now.organization_id == node.organization_id);
    let found = found.ok_or_else(|| ApiError::not_found(node.kind.name()))?;
    match found.deleted_at {
        None => Err(ApiError::new(
            ErrorType::NotDeleted,
            format!("The {} is not deleted.", node.kind.name()),
        )),
        Some(deleted) if deleted < restore_horizon(now) => Err(ApiError::not_found(node.kind.name())),
        Some(_) => Ok(found),
    }
}

/// Refuses a parent that has been deleted. `None`: the top level.
pub async fn reload_parent(db: &impl ConnectionTrait, parent: Option<&Model>) -> Result<(), ApiError> {
    match parent {
        Some(parent) => reload(db, parent).await.map(drop),
        None => Ok(()),
    }
}

/// A node to insert.
#[derive(Clone)]
pub struct NewNode {
    pub id: NodeId,
    pub kind: NodeKind,
    pub parent: Option<NodeId>,
    pub after: Option<NodeId>,
    pub title: String,
    pub default_level: Option<DefaultLevel>,
    pub now: Timestamp,
    /// The id for the permission of the creator.
    pub permission: entity::ids::PermissionId,
}

impl NewNode {
    /// At the end of its parent, with the inherited default level.
    pub fn new(kernel: &Kernel, kind: NodeKind, parent: Option<NodeId>, title: String) -> Self {
        Self {
            id: kernel.ids.next(),
            kind,
            parent,
            after: None,
            title,
            default_level: Some(DefaultLevel::Inherit),
            now: kernel.clock.now(),
            permission: kernel.ids.next(),
        }
    }
}

/// Inserts a node, and a permission if its creator would not administer it otherwise.
pub async fn insert(db: &impl ConnectionTrait, creator: &Member, new: NewNode) -> Result<Model, ApiError> {
    let siblings = Siblings {
        organization: creator.organization,
        parent: new.parent,
        moving: new.id,
    };
    let at = new.after.map_or(InsertAt::End, InsertAt::After);
    let position = match siblings.position(db, at, None).await? {
        Slot::Free(position) => position,
        Slot::Unchanged | Slot::NotASibling => 0,
    };
    let row = Model {
        id: new.id,
        organization_id: creator.organization,
        kind: new.kind,
        parent_id: new.parent,
        position,
        title: new.title,
        default_level: new.default_level,
        effective_default: default_levels::effective_default(db, new.default_level, new.parent).await?,
        created_at: new.now,
        updated_at: new.now,
        deleted_at: None,
    };
    rows::insert(db, &row).await?;
    ancestors::insert(db, row.id, row.parent_id).await?;
    SpacesBelow::default().record_change(db, row.id).await?;
    if effective_level(creator.role, row.effective_default, None) < Some(MemberRole::Admin) {
        let permission = permissions::Model {
            id: new.permission,
            organization_id: creator.organization,
            node_id: row.id,
            user_id: Some(creator.user),
            team_id: None,
            role: MemberRole::Admin,
            created_at: new.now,
        };
        upsert_permissions(db, vec![permission]).await?;
    }
    Ok(row)
}

/// Inserts permissions of users, or of teams, on a node, or replaces the level of existing ones; each subject occurs once.
pub async fn upsert_permissions(db: &impl ConnectionTrait, permissions: Vec<permissions::Model>) -> Result<(), DbErr> {
    use permissions::{Column, Entity};
    let to_people = permissions.iter().all(|permission| permission.user_id.is_some());
    let subject = if to_people { Column::UserId } else { Column::TeamId };
    let rows = permissions.into_iter().map(|row| row.into_active_model().reset_all());
    Entity::insert_many(rows)
        .on_conflict(
            OnConflict::columns([Column::NodeId, subject])
                .update_column(Column::Role)
                .to_owned(),
        )
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Notes a change of the content of a space. Returns whether the space is there; it may have been deleted since the access check.
pub async fn set_updated_at(db: &impl ConnectionTrait, space: NodeId, now: Timestamp) -> Result<bool, DbErr> {
    let updated = Entity::update_many()
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(Column::Id.eq(space))
        .filter(Column::DeletedAt.is_null())
        .exec(db)
        .await?;
    Ok(updated.rows_affected > 0)
}

/// Updates the members that spaces and collections share. `None`: the member stays as it is.
pub async fn update(
    db: &impl ConnectionTrait,
    node: Model,
    title: Option<String>,
    default_level: Option<Option<openapi::models::DefaultLevel>>,
    now: Timestamp,
) -> Result<(), ApiError> {
    let (id, parent) = (node.id, node.parent_id);
    let mut row = node.into_active_model();
    row.updated_at = Set(now);
    if let Some(title) = title {
        row.title = Set(title);
    }
    let level = default_level.map(|level| level.map(ToStored::to_stored));
    if let Some(level) = level {
        row.default_level = Set(level);
    }
    row.update(db).await?;
    if let Some(level) = level {
        default_levels::propagate(db, id, level, parent).await?;
    }
    Ok(())
}
