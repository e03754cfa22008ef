//! Effective default levels, kept with each node so that lists need no recursive query.

use entity::{
    ids::NodeId,
    library::nodes::{ActiveModel, DefaultLevel, Entity},
};
use sea_orm::{ActiveEnum, ActiveModelTrait, ActiveValue::Set, ConnectionTrait, DbErr, EntityTrait, Statement};

use crate::access::space_counts::SpacesBelow;

/// The effective default level of a node with this default level under this parent.
pub async fn effective_default(
    db: &impl ConnectionTrait,
    own: Option<DefaultLevel>,
    parent: Option<NodeId>,
) -> Result<Option<DefaultLevel>, DbErr> {
    match (own, parent) {
        (Some(DefaultLevel::Inherit), Some(parent)) => {
            let parent = Entity::find_by_id(parent).one(db).await?;
            Ok(parent.and_then(|parent| parent.effective_default))
        }
        (own, _) => Ok(own),
    }
}

/// Updates the effective default level of a node, and of its descendants that inherit from it.
pub async fn propagate(
    db: &impl ConnectionTrait,
    node: NodeId,
    own: Option<DefaultLevel>,
    parent: Option<NodeId>,
) -> Result<Option<DefaultLevel>, DbErr> {
    let before = SpacesBelow::load(db, node).await?;
    let level = effective_default(db, own, parent).await?;
    let itself = ActiveModel {
        id: Set(node),
        effective_default: Set(level),
        ..Default::default()
    };
    itself.update(db).await?;
    let sql = "UPDATE nodes SET effective_default = $1 WHERE id IN (
        SELECT reached.node_id FROM node_ancestors reached
        WHERE reached.ancestor_id = $2 AND reached.depth > 0 AND NOT EXISTS (
            SELECT 1 FROM node_ancestors between_them JOIN nodes stop ON stop.id = between_them.ancestor_id
            WHERE between_them.node_id = reached.node_id AND between_them.depth < reached.depth
              AND (stop.default_level IS NULL OR stop.default_level <> 'inherit')))";
    let values = [level.map(|level| level.to_value()).into(), node.into()];
    db.execute_raw(Statement::from_sql_and_values(db.get_database_backend(), sql, values))
        .await?;
    before.record_change(db, node).await?;
    Ok(level)
}
