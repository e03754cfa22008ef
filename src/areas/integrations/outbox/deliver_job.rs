//! The job that delivers the events of a queue.

use std::{
    mem,
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
    jobs::{EndReason, JobContext, JobError, JobKind, run_again},
    outbound::without_query,
};
use sea_orm::{DbErr, JsonValue};
use serde::{Deserialize, Serialize};
use tracing::Instrument;

use super::store::{self, Attempted, Work};
use crate::kernel::{
    Kernel,
    audit::{AuditTarget, Changed, SystemAction},
};

/// The delay after the first attempt. The events behind it wait for that in an ordered queue, and for no later attempt.
pub(super) const DELAY_IN_LINE: TimeDelta = TimeDelta::seconds(10);

/// The delays after failed attempts. An event fails for good after one attempt more.
const RETRY_DELAYS: [TimeDelta; 5] = [
    DELAY_IN_LINE,
    TimeDelta::minutes(1),
    TimeDelta::minutes(5),
    TimeDelta::minutes(30),
    TimeDelta::hours(1),
];

/// The same for what visitors do: it is soon of no use, and there is much of it.
const VISITOR_RETRY_DELAYS: [TimeDelta; 2] = [TimeDelta::seconds(10), TimeDelta::seconds(40)];

/// The time after which the attempts so far are recorded: those that a process made shortly before its end are repeated.
const RECORD_INTERVAL: Duration = Duration::from_millis(200);

/// The time after which a queue begins another job, also if no other one waits.
const TURN: Duration = Duration::from_secs(10);

/// An attempt that takes longer makes its receiver a slow one for some time: one that is slow now and then takes no more than one that
/// always is.
const SLOW_MS: i32 = 1000;
const SLOW_FOR: TimeDelta = TimeDelta::minutes(10);

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
    /// The receiver wants no further events.
    Gone(String),
}

/// Delivers the pending events of a queue, until none is due. A queue gives its place to others that wait after each event.
#[derive(Clone)]
pub struct DeliverEvents {
    kernel: Kernel,
    sender: Arc<dyn SendDelivery>,
}

/// The same for receivers that were slow of late: they share few places, so that the others find one.
pub struct DeliverToSlow(pub DeliverEvents);

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct QueueToDeliver {
    pub queue: DeliveryQueueId,
}

impl JobKind for DeliverEvents {
    const NAME: &'static str = "deliver-events";
    const CONCURRENCY: usize = 14;
    const SHARE: usize = 7;
    const TURNS_WITH: Option<&'static str> = Some(DeliverToSlow::NAME);
    const TIME_LIMIT: Duration = Duration::from_secs(5 * 60);
    type Payload = QueueToDeliver;

    async fn run(&self, context: &JobContext, payload: QueueToDeliver) -> Result<(), JobError> {
        self.deliver::<Self>(context, payload.queue).await
    }

    async fn end_without_success(
        &self,
        tx: &Tx,
        job: JobId,
        payload: QueueToDeliver,
        _: EndReason,
    ) -> Result<(), DbErr> {
        // The next event of the queue begins a job again.
        store::clear_job(tx, payload.queue, job).await
    }
}

impl JobKind for DeliverToSlow {
    const NAME: &'static str = "deliver-to-slow";
    const CONCURRENCY: usize = 2;
    const SHARE: usize = 1;
    const TIME_LIMIT: Duration = DeliverEvents::TIME_LIMIT;
    type Payload = QueueToDeliver;

    async fn run(&self, context: &JobContext, payload: QueueToDeliver) -> Result<(), JobError> {
        self.0.deliver::<Self>(context, payload.queue).await
    }

    async fn end_without_success(
        &self,
        tx: &Tx,
        job: JobId,
        payload: QueueToDeliver,
        reason: EndReason,
    ) -> Result<(), DbErr> {
        self.0.end_without_success(tx, job, payload, reason).await
    }
}

impl DeliverEvents {
    pub fn new(kernel: Kernel, sender: Arc<dyn SendDelivery>) -> Self {
        Self { kernel, sender }
    }

    async fn deliver<K: JobKind>(&self, job: &JobContext, queue: DeliveryQueueId) -> Result<(), JobError> {
        let (kernel, started) = (&self.kernel, Instant::now());
        // The queue may have another job by now: a process may have died after it had ended this one.
        let Some(queue) = store::find_queue(kernel.db.read(), queue, job.id).await? else {
            return Ok(());
        };
        let mut work = store::next(kernel.db.read(), &queue, kernel.clock.now()).await?;
        let mut attempts = Vec::new();
        loop {
            if let Work::Due(batch) = work {
                attempts = self.send_some::<K>(&queue, batch).await?;
            }
            let is_over = started.elapsed() > TURN || kernel.jobs.waits::<K>().await?;
            work = record(kernel, &queue, *job, mem::take(&mut attempts), is_over).await?;
            if !matches!(work, Work::Due(_)) {
                kernel.jobs.wake();
                return Ok(());
            }
        }
    }

    /// Sends events, until one fails, another queue waits for the place, or it is time to record the attempts.
    async fn send_some<K: JobKind>(
        &self,
        queue: &delivery_queues::Model,
        batch: Vec<Model>,
    ) -> Result<Vec<Attempted>, DbErr> {
        let (started, mut attempts) = (Instant::now(), Vec::new());
        for delivery in batch {
            let attempt = self.send(queue, &delivery).await;
            let has_failed = attempt.failure.is_some();
            attempts.push(attempt);
            if has_failed || started.elapsed() > RECORD_INTERVAL || self.kernel.jobs.waits::<K>().await? {
                break;
            }
        }
        Ok(attempts)
    }

    async fn send(&self, queue: &delivery_queues::Model, delivery: &Model) -> Attempted {
        let started = Instant::now();
        let request_id = &delivery.request_id;
        let span = tracing::info_span!("delivery", id = %delivery.id, event = delivery.event_type, request_id);
        let Attempt {
            outcome,
            response_status,
            logs,
        } = self.sender.send(queue, delivery).instrument(span).await;
        let (attempts, at) = (delivery.attempts.saturating_add(1), self.kernel.clock.now());
        let due_at = match &outcome {
            Outcome::Failed(_) => delay(queue, attempts).map(|delay| at.plus(delay)),
            Outcome::Delivered | Outcome::Refused(_) | Outcome::Gone(_) => None,
        };
        let is_gone = matches!(outcome, Outcome::Gone(_));
        let failure = match outcome {
            Outcome::Delivered => None,
            Outcome::Failed(failure) | Outcome::Refused(failure) | Outcome::Gone(failure) => Some(failure),
        };
        Attempted {
            id: delivery.id,
            status: match (&failure, due_at) {
                (None, _) => DeliveryStatus::Success,
                (Some(_), Some(_)) => DeliveryStatus::Pending,
                (Some(_), None) => DeliveryStatus::Failed,
            },
            attempts,
            due_at,
            at,
            response_status: response_status.map(i32::from),
            duration_ms: store::milliseconds(started.elapsed()),
            failure: failure.as_deref().map(store::stored_failure),
            logs,
            is_gone,
        }
    }
}

/// Returns whether the receiver was slow of late.
pub(super) fn is_slow(queue: &delivery_queues::Model, now: Timestamp) -> bool {
    queue.slow_at.is_some_and(|at| at.is_recent(now, SLOW_FOR))
}

/// The delay after so many attempts. `None`: there is no other attempt.
fn delay(queue: &delivery_queues::Model, attempts: i32) -> Option<TimeDelta> {
    let delays: &[TimeDelta] = if queue.ordered {
        &RETRY_DELAYS
    } else {
        &VISITOR_RETRY_DELAYS
    };
    let failures = usize::try_from(attempts).unwrap_or_default();
    delays.get(failures.saturating_sub(1)).copied()
}

/// Records attempts, and returns the events that are next, if they are for this job.
async fn record(
    kernel: &Kernel,
    queue: &delivery_queues::Model,
    job: JobContext,
    attempts: Vec<Attempted>,
    is_over: bool,
) -> Result<Work, JobError> {
    let (queue, now) = (queue.clone(), kernel.clock.now());
    let work = move |tx: Tx| async move {
        if store::find_queue(&tx, queue.id, job.id).await?.is_none() {
            return Ok(Changed::nothing(Work::Nothing));
        }
        let last = attempts.last().cloned();
        for attempt in attempts {
            store::record_attempt(&tx, attempt).await?;
        }
        let mut disabled = None;
        if let (Some(webhook), Some(last)) = (queue.webhook_id, &last) {
            disabled = store::record_health(&tx, webhook, last.health(), now).await?;
        }
        let was_slow = last.is_some_and(|last| last.duration_ms >= SLOW_MS);
        if was_slow {
            store::set_slow(&tx, queue.id, now).await?;
        }
        let is_slow = was_slow || is_slow(&queue, now);
        let is_over = is_over || was_slow;
        let due = match store::next(&tx, &queue, now).await? {
            Work::Due(batch) if !is_over => return Ok(changed(disabled, Work::Due(batch))),
            Work::Due(_) => now,
            Work::Later(due) => due,
            Work::Nothing => {
                store::clear_job(&tx, queue.id, job.id).await?;
                return Ok(changed(disabled, Work::Nothing));
            }
        };
        match is_slow {
            true => run_again::<DeliverToSlow>(&tx, &job, due).await?,
            false => run_again::<DeliverEvents>(&tx, &job, due).await?,
        };
        Ok(changed(disabled, Work::Later(due)))
    };
    let work = kernel.write(SystemAction::DisableWebhook, work).await;
    work.map_err(|error: ApiError| JobError::Retryable(error.to_string()))
}

fn changed(disabled: Option<webhooks::Model>, work: Work) -> Changed<Work> {
    match disabled {
        Some(webhook) => Changed::of(target(&webhook), work),
        None => Changed::nothing(work),
    }
}

fn target(webhook: &webhooks::Model) -> AuditTarget {
    AuditTarget::in_organization(webhook.organization_id, "webhook", webhook.id).labelled(without_query(&webhook.url))
}
