//! Soft deletion and restoring of nodes.

use entity::{
    ids::NodeId,
    library::nodes::{Column, Entity},
    timestamp::Timestamp,
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryTrait, sea_query::Expr};

use super::ancestors::{with_ancestors, with_descendants};
use crate::access::space_counts::SpacesBelow;

/// Marks a node and its descendants as deleted. Returns whether any was not deleted before.
pub async fn delete(db: &impl ConnectionTrait, node: NodeId, now: Timestamp) -> Result<bool, DbErr> {
    let before = SpacesBelow::load(db, node).await?;
    let done = Entity::update_many()
        .col_expr(Column::DeletedAt, Expr::value(now))
        .filter(Column::Id.in_subquery(with_descendants(node).into_query()))
        .filter(Column::DeletedAt.is_null())
        .exec(db)
        .await?;
    before.record_change(db, node).await?;
    Ok(done.rows_affected > 0)
}

/// Restores a node with the collections above it, because the node may inherit its access from them.
pub async fn restore(db: &impl ConnectionTrait, node: NodeId, now: Timestamp) -> Result<(), DbErr> {
    let before = SpacesBelow::load(db, node).await?;
    Entity::update_many()
        .col_expr(Column::DeletedAt, Expr::value(None::<Timestamp>))
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(Column::Id.in_subquery(with_ancestors(node).into_query()))
        .filter(Column::DeletedAt.is_not_null())
        .exec(db)
        .await?;
    before.record_change(db, node).await
}
