//! How many change requests a space has, kept beside them.

use entity::{
    ids::NodeId,
    spaces::{Column, Entity, Model},
};
use openapi::error::ApiError;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait},
};

use super::Status;

/// Counts a new draft. Answers the space with it: how many there are is the number of the new one.
pub async fn add(db: &impl ConnectionTrait, space: NodeId) -> Result<Model, ApiError> {
    let counters = [Column::ChangeRequests, Column::ChangeRequestsDraft];
    let counted = counters.into_iter().fold(Entity::update_many(), |update, counter| {
        update.col_expr(counter, Expr::col(counter).add(1))
    });
    let counted = counted.filter(Column::Id.eq(space)).exec_with_returning(db).await?;
    let counted = counted.into_iter().next();
    counted.ok_or_else(|| ApiError::not_found("space"))
}

/// Counts a change request that goes from one status to another.
pub async fn settle(db: &impl ConnectionTrait, space: NodeId, from: Status, to: Status) -> Result<(), DbErr> {
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

/// What is merged or archived counts among all only.
fn counter(status: Status) -> Option<Column> {
    match status {
        Status::Draft => Some(Column::ChangeRequestsDraft),
        Status::Open => Some(Column::ChangeRequestsOpen),
        Status::Archived | Status::Merged => None,
    }
}
