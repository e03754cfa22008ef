//! Nodes in the database; the organization is always part of the question.

use entity::{
    ids::{NodeId, OrganizationId},
    members::MemberRole,
    nodes::{Column, DefaultLevel, Entity, Model, NodeKind},
    permissions,
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::rows;
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, Select,
    sea_query::{Expr, OnConflict},
};

use crate::{
    access::node_levels::{Member, effective_level},
    app::{App, wire::ToStored},
    areas::library::tree::ordering::{Found, Place, Siblings},
};

use super::{ancestry, defaults};

/// What is not deleted.
pub fn living(organization: OrganizationId, kind: NodeKind) -> Select<Entity> {
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
    living(organization, kind).filter(Column::Id.eq(node)).one(db).await
}

/// A node that is to be created.
#[derive(Clone)]
pub struct NewNode {
    pub id: NodeId,
    pub kind: NodeKind,
    pub parent: Option<NodeId>,
    pub after: Option<NodeId>,
    pub title: String,
    pub default_level: Option<DefaultLevel>,
    pub now: Timestamp,
    /// For the permission of its creator.
    pub permission: entity::ids::PermissionId,
}

impl NewNode {
    /// At the end of its parent, with the default level of what lies above.
    pub fn new(app: &App, kind: NodeKind, parent: Option<NodeId>, title: String) -> Self {
        Self {
            id: app.ids.next(),
            kind,
            parent,
            after: None,
            title,
            default_level: Some(DefaultLevel::Inherit),
            now: app.clock.now(),
            permission: app.ids.next(),
        }
    }
}

/// Inserts a node, which its creator administers.
pub async fn insert(db: &impl ConnectionTrait, creator: &Member, new: NewNode) -> Result<Model, ApiError> {
    let siblings = Siblings {
        organization: creator.organization,
        parent: new.parent,
        moving: new.id,
    };
    let place = new.after.map_or(Place::End, Place::After);
    let position = match siblings.position(db, place, None).await? {
        Found::Position(position) => position,
        Found::Here | Found::NoNeighbour => 0,
    };
    let row = Model {
        id: new.id,
        organization_id: creator.organization,
        kind: new.kind,
        parent_id: new.parent,
        position,
        title: new.title,
        default_level: new.default_level,
        effective_default: defaults::effective(db, new.default_level, new.parent).await?,
        created_at: new.now,
        updated_at: new.now,
        deleted_at: None,
    };
    rows::insert(db, &row).await?;
    ancestry::insert(db, row.id, row.parent_id).await?;
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
        give(db, vec![permission]).await?;
    }
    Ok(row)
}

/// Gives people, or teams, levels on a node, in place of those they were given before; nobody is named twice.
pub async fn give(db: &impl ConnectionTrait, permissions: Vec<permissions::Model>) -> Result<(), DbErr> {
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

/// Notes that something in a space or collection has changed.
pub async fn touch(db: &impl ConnectionTrait, node: NodeId, now: Timestamp) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(Column::Id.eq(node))
        .exec(db)
        .await?;
    Ok(())
}

/// Changes what spaces and collections have in common; none keeps what is.
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
        defaults::spread(db, id, level, parent).await?;
    }
    Ok(())
}
