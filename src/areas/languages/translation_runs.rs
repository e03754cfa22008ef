//! Runs of translations after changes of their sources.

use chrono::TimeDelta;
use entity::{
    ids::NodeId,
    languages::translations::{Column, Entity},
    timestamp::Timestamp,
};
use platform::db::Tx;
use sea_orm::{
    DbErr,
    sea_query::{Expr, ExprTrait, Query},
};

/// The time from a change to the run, which comprises further changes until then.
const DELAY: TimeDelta = TimeDelta::minutes(1);

/// Lets the translations of a space run that do so by themselves, in the transaction that changes the content of the space.
pub async fn source_changed(tx: &Tx, space: NodeId, now: Timestamp) -> Result<(), DbErr> {
    let due = Query::update()
        .table(Entity)
        .value(Column::NextRunAt, now.plus(DELAY))
        .and_where(Expr::col(Column::SourceSpaceId).eq(space))
        .and_where(Expr::col(Column::AutoRun).eq(true))
        .and_where(Expr::col(Column::NextRunAt).is_null())
        .take();
    tx.execute_later(&due).await
}
