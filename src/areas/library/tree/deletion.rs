//! Deleting, bringing back, and removing for good.

use entity::{
    ids::NodeId,
    nodes::{Column, Entity},
    timestamp::Timestamp,
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryTrait, sea_query::Expr};

use crate::{access::restore_horizon, app::App};

use super::ancestry::{above, below};

/// Deletes a node with all that it holds. Answers whether it was there.
pub async fn delete(db: &impl ConnectionTrait, node: NodeId, now: Timestamp) -> Result<bool, DbErr> {
    let done = Entity::update_many()
        .col_expr(Column::DeletedAt, Expr::value(now))
        .filter(Column::Id.in_subquery(below(node).into_query()))
        .filter(Column::DeletedAt.is_null())
        .exec(db)
        .await?;
    Ok(done.rows_affected > 0)
}

/// Brings a node back, with the collections above it: what inherits from them is never laid open by their absence.
pub async fn restore(db: &impl ConnectionTrait, node: NodeId, now: Timestamp) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::DeletedAt, Expr::value(None::<Timestamp>))
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(Column::Id.in_subquery(above(node).into_query()))
        .filter(Column::DeletedAt.is_not_null())
        .exec(db)
        .await?;
    Ok(())
}

/// Removes for good what was deleted long enough ago; run by a job, not by requests.
pub async fn purge(app: &App) -> Result<(), DbErr> {
    let horizon = restore_horizon(app.clock.now());
    app.db
        .write(move |tx| async move {
            Entity::delete_many()
                .filter(Column::DeletedAt.lt(horizon))
                .exec(&tx)
                .await?;
            Ok::<_, DbErr>(())
        })
        .await
}
