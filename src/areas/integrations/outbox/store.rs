//! Statements on queues and deliveries.

use std::{collections::HashMap, time::Duration};

use chrono::TimeDelta;
use entity::{
    ids::{DeliveryId, DeliveryQueueId, IntegrationId, JobId, WebhookId},
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

/// Attempts after which a failed event of an ordered queue is overtaken by those behind it.
const ATTEMPTS_IN_LINE: i32 = 2;

/// The longest failure that is stored, in characters.
const MAX_FAILURE: usize = 200;

/// A webhook that fails for longer is disabled.
const DISABLED_AFTER: TimeDelta = TimeDelta::days(5);

/// The events of an integration that were tried.
pub fn tried(integration: IntegrationId) -> Select<Entity> {
    // Literals, as in the index of these rows; so are those below.
    Entity::find()
        .filter(Column::IntegrationId.eq(integration))
        .filter(Expr::cust("attempted_at IS NOT NULL"))
}

/// The events of an integration that wait for their first or another attempt.
pub fn waiting(integration: IntegrationId) -> Select<Entity> {
    Entity::find()
        .filter(Column::IntegrationId.eq(integration))
        .filter(Expr::cust("status = 'pending'"))
}

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

/// The queue is idle, or the next event begins a job.
pub(super) async fn clear_job(tx: &Tx, queue: DeliveryQueueId, job: JobId) -> Result<(), DbErr> {
    delivery_queues::Entity::update_many()
        .col_expr(delivery_queues::Column::JobId, Expr::value(None::<JobId>))
        .filter(delivery_queues::Column::Id.eq(queue))
        .filter(delivery_queues::Column::JobId.eq(job))
        .exec(tx)
        .await?;
    Ok(())
}

pub(super) async fn set_slow(tx: &Tx, queue: DeliveryQueueId, now: Timestamp) -> Result<(), DbErr> {
    delivery_queues::Entity::update_many()
        .col_expr(delivery_queues::Column::SlowAt, Expr::value(Some(now)))
        .filter(delivery_queues::Column::Id.eq(queue))
        .exec(tx)
        .await?;
    Ok(())
}

fn pending(queue: DeliveryQueueId) -> Select<Entity> {
    of_queue(queue).filter(Expr::cust("status = 'pending'"))
}

/// Makes the next attempts of all pending events of a queue due.
pub(super) async fn make_due(tx: &Tx, queue: DeliveryQueueId, now: Timestamp) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::DueAt, Expr::value(Some(now)))
        .filter(Column::QueueId.eq(queue))
        .filter(Expr::cust("status = 'pending' AND attempts > 0"))
        .filter(Column::DueAt.gt(now))
        .exec(tx)
        .await?;
    Ok(())
}

/// What a queue has to do.
pub(super) enum Work {
    /// These events, in this order.
    Due(Vec<Model>),
    /// The next attempt is due at that time.
    Later(Timestamp),
    /// Nothing is pending.
    Nothing,
}

/// The next work of a queue. Events with few attempts are in line: in an ordered queue, they wait for the first one. The others are due at
/// their times, and come before the line when they have been due for longer.
pub(super) async fn next(
    db: &impl ConnectionTrait,
    queue: &delivery_queues::Model,
    now: Timestamp,
) -> Result<Work, DbErr> {
    let in_line = if queue.ordered { ATTEMPTS_IN_LINE } else { 1 };
    let retries = pending(queue.id)
        .filter(Expr::cust("attempts > 0"))
        .filter(Column::Attempts.gte(in_line));
    let due = retries.clone().filter(Column::DueAt.lte(now));
    let mut due = due.order_by_asc(Column::DueAt).limit(BATCH_SIZE).all(db).await?;
    let line = pending(queue.id).filter(Column::Attempts.lt(in_line));
    let line = line.order_by_asc(Column::Id).limit(BATCH_SIZE).all(db).await?;
    let head = line.first().and_then(|first| first.due_at);
    let after_line = due.split_off(due.partition_point(|retry| retry.due_at <= head));
    due.extend(line.into_iter().take_while(|event| event.due_at <= Some(now)));
    due.extend(after_line);
    due.truncate(usize::try_from(BATCH_SIZE).unwrap_or_default());
    if !due.is_empty() {
        return Ok(Work::Due(due));
    }
    let first: Option<Option<Timestamp>> = retries
        .select_only()
        .column(Column::DueAt)
        .order_by_asc(Column::DueAt)
        .limit(1)
        .into_tuple()
        .one(db)
        .await?;
    let next = first.flatten().into_iter().chain(head).min();
    Ok(next.map_or(Work::Nothing, Work::Later))
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
    pub due_at: Option<Timestamp>,
    pub at: Timestamp,
    pub response_status: Option<i32>,
    pub duration_ms: i32,
    pub failure: Option<String>,
    pub logs: Option<JsonValue>,
    /// The receiver wants no further events.
    pub is_gone: bool,
}

impl Attempted {
    pub fn health(&self) -> Health {
        match self.status {
            _ if self.is_gone => Health::Gone,
            DeliveryStatus::Success => Health::Succeeds,
            DeliveryStatus::Pending | DeliveryStatus::Failed => Health::Fails,
        }
    }
}

pub(super) async fn record_attempt(tx: &Tx, attempted: Attempted) -> Result<(), DbErr> {
    let update = Entity::update_many()
        .col_expr(Column::Status, Expr::value(attempted.status))
        .col_expr(Column::Attempts, Expr::value(attempted.attempts))
        .col_expr(Column::DueAt, Expr::value(attempted.due_at))
        .col_expr(Column::AttemptedAt, Expr::value(Some(attempted.at)))
        .col_expr(Column::ResponseStatus, Expr::value(attempted.response_status))
        .col_expr(Column::DurationMs, Expr::value(Some(attempted.duration_ms)))
        .col_expr(Column::Failure, Expr::value(attempted.failure))
        .col_expr(Column::Logs, Expr::value(attempted.logs))
        .filter(Column::Id.eq(attempted.id));
    tx.execute_later(&update.into_query()).await
}

/// What the last attempt says about a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Succeeds,
    Fails,
    /// The receiver wants no further requests.
    Gone,
}

/// Records what the last attempt of a webhook says about it. Returns the webhook if it is disabled with that.
pub(super) async fn record_health(
    tx: &Tx,
    webhook: WebhookId,
    health: Health,
    now: Timestamp,
) -> Result<Option<webhooks::Model>, DbErr> {
    let found = webhooks::Entity::find_by_id(webhook).one(tx).await?;
    // Nothing is sent to a disabled one.
    let Some(row) = found.filter(|row| row.enabled) else {
        return Ok(None);
    };
    let failing_since = match health {
        Health::Succeeds => None,
        Health::Fails | Health::Gone => Some(row.failing_since.unwrap_or(now)),
    };
    let is_too_long = failing_since.is_some_and(|since| !since.is_recent(now, DISABLED_AFTER));
    let is_over = is_too_long || health == Health::Gone;
    if failing_since == row.failing_since && !is_over {
        return Ok(None);
    }
    let mut row = webhooks::ActiveModel::from(row);
    row.failing_since = Set(failing_since);
    row.enabled = Set(!is_over);
    let row = row.update(tx).await?;
    Ok(is_over.then_some(row))
}
