//! The job that delivers the events of a queue.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chrono::TimeDelta;
use entity::{
    ids::{DeliveryQueueId, JobId},
    integrations::{
        deliveries::{DeliveryStatus, Model},
        delivery_queues, webhooks,
    },
    timestamp::Timestamp,
};
use futures_util::future::BoxFuture;
use openapi::error::ApiError;
use platform::{
    db::Tx,
    jobs::{EndReason, JobContext, JobError, JobKind, NewJob, enqueue_at},
};
use sea_orm::{DbErr, JsonValue};
use serde::{Deserialize, Serialize};

use super::store::{self, Attempted};
use crate::kernel::{
    Kernel,
    audit::{AuditTarget, Changed, SystemAction},
};

/// The delays after failed attempts. An event fails for good after one attempt more.
const RETRY_DELAYS: [TimeDelta; 5] = [
    TimeDelta::seconds(10),
    TimeDelta::minutes(1),
    TimeDelta::minutes(5),
    TimeDelta::minutes(30),
    TimeDelta::hours(1),
];

/// The time after which the attempts so far are recorded: those that a process made shortly before its end are repeated.
const RECORD_INTERVAL: Duration = Duration::from_millis(200);

/// The time after which a queue lets others go first.
const TURN: Duration = Duration::from_secs(10);

/// Sends events.
pub trait SendDelivery: Send + Sync + 'static {
    /// Makes one attempt.
    fn send<'a>(&'a self, queue: &'a delivery_queues::Model, delivery: &'a Model) -> BoxFuture<'a, Attempt>;
}

/// One attempt to deliver an event.
pub struct Attempt {
    pub outcome: Outcome,
    /// `None`: there was no response.
    pub response_status: Option<u16>,
    pub logs: Option<JsonValue>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    /// Another attempt may succeed.
    Failed(String),
    /// No attempt can succeed.
    Refused(String),
}

/// Delivers the pending events of a queue in order, until none is left or one has to wait for its next attempt.
pub struct DeliverEvents {
    kernel: Kernel,
    sender: Arc<dyn SendDelivery>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct QueueToDeliver {
    pub queue: DeliveryQueueId,
}

impl DeliverEvents {
    pub fn new(kernel: Kernel, sender: Arc<dyn SendDelivery>) -> Self {
        Self { kernel, sender }
    }
}

impl JobKind for DeliverEvents {
    const NAME: &'static str = "deliver-events";
    const CONCURRENCY: usize = 16;
    const TIME_LIMIT: Duration = Duration::from_secs(5 * 60);
    type Payload = QueueToDeliver;

    async fn run(&self, context: &JobContext, payload: QueueToDeliver) -> Result<(), JobError> {
        let (kernel, started) = (&self.kernel, Instant::now());
        // The queue may have another job by now: a process may have died after giving it one.
        let Some(queue) = store::find_queue(kernel.db.read(), payload.queue, context.id).await? else {
            return Ok(());
        };
        let mut batch = store::next(kernel.db.read(), queue.id).await?;
        loop {
            let attempts = self.send_all(&queue, batch).await;
            let is_over = started.elapsed() > TURN;
            batch = record(kernel, &queue, context.id, attempts, is_over).await?;
            if batch.is_empty() {
                kernel.jobs.wake();
                return Ok(());
            }
        }
    }

    async fn end_without_success(
        &self,
        tx: &Tx,
        job: JobId,
        payload: QueueToDeliver,
        _: EndReason,
    ) -> Result<(), DbErr> {
        // The next event of the queue begins a job again.
        store::set_job(tx, payload.queue, job, None).await
    }
}

impl DeliverEvents {
    /// Sends events in order, until one has to wait or it is time to record the attempts.
    async fn send_all(&self, queue: &delivery_queues::Model, batch: Vec<Model>) -> Vec<Attempted> {
        let (started, mut attempts) = (Instant::now(), Vec::new());
        for delivery in batch {
            let attempt = self.send(queue, &delivery).await;
            let waits = attempt.status == DeliveryStatus::Pending;
            attempts.push(attempt);
            if waits || started.elapsed() > RECORD_INTERVAL {
                break;
            }
        }
        attempts
    }

    async fn send(&self, queue: &delivery_queues::Model, delivery: &Model) -> Attempted {
        let started = Instant::now();
        let Attempt {
            outcome,
            response_status,
            logs,
        } = self.sender.send(queue, delivery).await;
        let attempts = delivery.attempts.saturating_add(1);
        let (status, failure) = match outcome {
            Outcome::Delivered => (DeliveryStatus::Success, None),
            Outcome::Failed(failure) if delay(attempts).is_some() => (DeliveryStatus::Pending, Some(failure)),
            Outcome::Failed(failure) | Outcome::Refused(failure) => (DeliveryStatus::Failed, Some(failure)),
        };
        Attempted {
            id: delivery.id,
            status,
            attempts,
            at: self.kernel.clock.now(),
            response_status: response_status.map(i32::from),
            duration_ms: store::milliseconds(started.elapsed()),
            failure: failure.as_deref().map(store::stored_failure),
            logs,
        }
    }
}

/// The delay after so many attempts. `None`: there is no other attempt.
fn delay(attempts: i32) -> Option<TimeDelta> {
    let failures = usize::try_from(attempts).unwrap_or_default();
    RETRY_DELAYS.get(failures.saturating_sub(1)).copied()
}

/// Records attempts, and returns the events that are next. If there are none, or if they are not for this job, the job has ended
/// with that.
async fn record(
    kernel: &Kernel,
    queue: &delivery_queues::Model,
    job: JobId,
    attempts: Vec<Attempted>,
    is_over: bool,
) -> Result<Vec<Model>, JobError> {
    let (queue, next_job, now) = (queue.clone(), kernel.ids.next(), kernel.clock.now());
    let work = move |tx: Tx| async move {
        if store::find_queue(&tx, queue.id, job).await?.is_none() {
            return Ok(Changed::nothing(Vec::new()));
        }
        let last = attempts.last().cloned();
        for attempt in attempts {
            store::record_attempt(&tx, attempt).await?;
        }
        let mut disabled = None;
        if let (Some(webhook), Some(last)) = (queue.webhook_id, &last) {
            let succeeded = last.status == DeliveryStatus::Success;
            disabled = store::record_health(&tx, webhook, succeeded, now).await?;
        }
        let waiting = last.filter(|last| last.status == DeliveryStatus::Pending);
        let retry = waiting.and_then(|last| delay(last.attempts));
        let batch = match retry {
            Some(_) => Vec::new(),
            None => store::next(&tx, queue.id).await?,
        };
        let due = match retry {
            Some(delay) => Some(now.plus(delay)),
            None if batch.is_empty() => None,
            None if is_over => Some(now),
            None => return Ok(changed(disabled, batch)),
        };
        pass_on(&tx, &queue, job, due.map(|due| (next_job, due)), now).await?;
        Ok(changed(disabled, Vec::new()))
    };
    let batch = kernel.write(SystemAction::DisableWebhook, work).await;
    batch.map_err(|error: ApiError| JobError::Retryable(error.to_string()))
}

/// Gives a queue to a job that is due later, or to none.
async fn pass_on(
    tx: &Tx,
    queue: &delivery_queues::Model,
    job: JobId,
    next: Option<(JobId, Timestamp)>,
    now: Timestamp,
) -> Result<(), DbErr> {
    store::set_job(tx, queue.id, job, next.map(|(id, _)| id)).await?;
    let Some((id, due)) = next else {
        return Ok(());
    };
    let next = NewJob {
        id,
        organization: Some(queue.organization_id),
        payload: QueueToDeliver { queue: queue.id },
    };
    enqueue_at::<DeliverEvents>(tx, vec![next], due, now).await
}

fn changed(disabled: Option<webhooks::Model>, batch: Vec<Model>) -> Changed<Vec<Model>> {
    match disabled {
        Some(webhook) => Changed::of(target(&webhook), batch),
        None => Changed::nothing(batch),
    }
}

fn target(webhook: &webhooks::Model) -> AuditTarget {
    AuditTarget::in_organization(webhook.organization_id, "webhook", webhook.id).labelled(&webhook.url)
}
