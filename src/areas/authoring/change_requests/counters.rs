//! Counters of the change requests of a space.

use entity::{
    ids::NodeId,
    library::spaces::{Column, Entity, Model},
};
use openapi::error::ApiError;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait},
};

use super::Status;

/// Counts a new draft. Returns the updated space: its total is the number of the new change request.
pub async fn count_new(db: &impl ConnectionTrait, space: NodeId) -> Result<Model, ApiError> {
    let counters = [Column::ChangeRequests, Column::ChangeRequestsDraft];
    let counted = counters.into_iter().fold(Entity::update_many(), |update, counter| {
        update.col_expr(counter, Expr::col(counter).add(1))
    });
    let counted = counted.filter(Column::Id.eq(space)).exec_with_returning(db).await?;
    let counted = counted.into_iter().next();
    counted.ok_or_else(|| ApiError::not_found("space"))
}

/// Counts a change of status.
pub async fn move_status(db: &impl ConnectionTrait, space: NodeId, from: Status, to: Status) -> Result<(), DbErr> {
    if from == to {
        return Ok(());
    }
    let mut update = Entity::update_many();
    for (status, by) in [(from, -1), (to, 1)] {
        if let Some(counter) = counter(status) {
            update = update.col_expr(counter, Expr::col(counter).add(by));
        }
    }
    // Without a counter to change, no statement runs.
    update.filter(Column::Id.eq(space)).exec(db).await?;
    Ok(())
}

/// Merged and archived change requests only count in the total.
fn counter(status: Status) -> Option<Column> {
    match status {
        Status::Draft => Some(Column::ChangeRequestsDraft),
        Status::Open => Some(Column::ChangeRequestsOpen),
        Status::Archived | Status::Merged => None,
    }
}
