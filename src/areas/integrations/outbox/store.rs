//! Statements on queues and deliveries.

use std::{collections::HashMap, time::Duration};

use chrono::TimeDelta;
use entity::{
    ids::{DeliveryId, DeliveryQueueId, JobId, WebhookId},
    integrations::{
        deliveries::{Column, DeliveryStatus, Entity, Model},
        delivery_queues, webhooks,
    },
    timestamp::Timestamp,
};
use platform::db::{Tx, count};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JsonValue, QueryFilter,
    QueryOrder, QuerySelect, QueryTrait, Select, sea_query::Expr,
};

/// Events of a queue that a job takes at once.
const BATCH_SIZE: u64 = 32;

/// The longest failure that is stored, in characters.
const MAX_FAILURE: usize = 200;

/// A webhook that fails for longer is disabled.
const DISABLED_AFTER: TimeDelta = TimeDelta::days(5);

/// The deliveries of a queue.
pub fn of_queue(queue: DeliveryQueueId) -> Select<Entity> {
    Entity::find().filter(Column::QueueId.eq(queue))
}

/// The queue, if it is the work of the job.
pub(super) async fn find_queue(
    db: &impl ConnectionTrait,
    queue: DeliveryQueueId,
    job: JobId,
) -> Result<Option<delivery_queues::Model>, DbErr> {
    delivery_queues::Entity::find_by_id(queue)
        .filter(delivery_queues::Column::JobId.eq(job))
        .one(db)
        .await
}

/// Gives the queue of a job to another job, or to none.
pub(super) async fn set_job(tx: &Tx, queue: DeliveryQueueId, job: JobId, next: Option<JobId>) -> Result<(), DbErr> {
    delivery_queues::Entity::update_many()
        .col_expr(delivery_queues::Column::JobId, Expr::value(next))
        .filter(delivery_queues::Column::Id.eq(queue))
        .filter(delivery_queues::Column::JobId.eq(job))
        .exec(tx)
        .await?;
    Ok(())
}

/// The pending events of a queue that are next. The status is a literal, as in the index of these rows.
pub(super) async fn next(db: &impl ConnectionTrait, queue: DeliveryQueueId) -> Result<Vec<Model>, DbErr> {
    of_queue(queue)
        .filter(Expr::cust("status = 'pending'"))
        .order_by_asc(Column::Id)
        .limit(BATCH_SIZE)
        .all(db)
        .await
}

/// The numbers of pending events of queues. A queue without any is left out.
pub async fn count_pending(
    db: &impl ConnectionTrait,
    queues: Vec<DeliveryQueueId>,
) -> Result<HashMap<DeliveryQueueId, u64>, DbErr> {
    let counted: Vec<(DeliveryQueueId, i64)> = Entity::find()
        .select_only()
        .column(Column::QueueId)
        .column_as(Column::Id.count(), "pending")
        .filter(Column::QueueId.is_in(queues))
        .filter(Expr::cust("status = 'pending'"))
        .group_by(Column::QueueId)
        .into_tuple()
        .all(db)
        .await?;
    let counted = counted.into_iter();
    Ok(counted.map(|(queue, pending)| (queue, count(pending))).collect())
}

/// A failure as it is stored.
pub(super) fn stored_failure(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_FAILURE).collect()
}

pub(super) fn milliseconds(duration: Duration) -> i32 {
    i32::try_from(duration.as_millis()).unwrap_or(i32::MAX)
}

/// What came of an attempt.
#[derive(Clone)]
pub(super) struct Attempted {
    pub id: DeliveryId,
    pub status: DeliveryStatus,
    pub attempts: i32,
    pub at: Timestamp,
    pub response_status: Option<i32>,
    pub duration_ms: i32,
    pub failure: Option<String>,
    pub logs: Option<JsonValue>,
}

pub(super) async fn record_attempt(tx: &Tx, attempted: Attempted) -> Result<(), DbErr> {
    let update = Entity::update_many()
        .col_expr(Column::Status, Expr::value(attempted.status))
        .col_expr(Column::Attempts, Expr::value(attempted.attempts))
        .col_expr(Column::AttemptedAt, Expr::value(Some(attempted.at)))
        .col_expr(Column::ResponseStatus, Expr::value(attempted.response_status))
        .col_expr(Column::DurationMs, Expr::value(Some(attempted.duration_ms)))
        .col_expr(Column::Failure, Expr::value(attempted.failure))
        .col_expr(Column::Logs, Expr::value(attempted.logs))
        .filter(Column::Id.eq(attempted.id));
    tx.execute_later(&update.into_query()).await
}

/// Records whether the last attempt of a webhook succeeded. Returns the webhook if it is disabled with that.
pub(super) async fn record_health(
    tx: &Tx,
    webhook: WebhookId,
    succeeded: bool,
    now: Timestamp,
) -> Result<Option<webhooks::Model>, DbErr> {
    let found = webhooks::Entity::find_by_id(webhook).one(tx).await?;
    // Nothing is sent to a disabled one.
    let Some(row) = found.filter(|row| row.enabled) else {
        return Ok(None);
    };
    let failing_since = if succeeded {
        None
    } else {
        Some(row.failing_since.unwrap_or(now))
    };
    let is_too_long = failing_since.is_some_and(|since| !since.is_recent(now, DISABLED_AFTER));
    if failing_since == row.failing_since && !is_too_long {
        return Ok(None);
    }
    let mut row = webhooks::ActiveModel::from(row);
    row.failing_since = Set(failing_since);
    row.enabled = Set(!is_too_long);
    let row = row.update(tx).await?;
    Ok(is_too_long.then_some(row))
}
