//! Putting recorded events of visitors into the queues of installations, in the background.

use std::{collections::HashMap, time::Duration};

use entity::{
    ids::{DeliveryQueueId, OrganizationId, SiteId, VisitorBatchId},
    integrations::{
        deliveries,
        visitor_batches::{Column, Entity, Model},
    },
    timestamp::Timestamp,
};
use platform::db::Tx;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::{VisitorEvent, purpose, subscribers};
use crate::{
    areas::integrations::{
        outbox::{self, NewDelivery, NewEvent, Recipient},
        subscribers::Subscriber,
    },
    kernel::Kernel,
};

/// Pending events of an installation, at most. It does not get what is above.
const MAX_BACKLOG: u64 = 5_000;

/// Rows that one transaction adds, at most, unless one event has more receivers.
const ROWS_AT_ONCE: usize = 300;

/// Batches that one transaction takes, at most.
const BATCHES_AT_ONCE: u64 = 100;

/// Bytes of these batches, at most, unless a single one has more.
const BYTES_AT_ONCE: i32 = 1024 * 1024;

/// The time between two looks for batches.
const INTERVAL: Duration = Duration::from_millis(500);

/// The time until the next look after a failed one.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// Puts recorded events into queues in the background.
pub async fn run(kernel: Kernel) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = queue_recorded(&kernel).await {
            tracing::warn!(%error, "cannot put events of visitors into the queues of integrations; retrying");
            sleep(PAUSE_AFTER_FAILURE).await;
        }
    }
}

/// Puts all recorded events into queues. Organizations take turns, of one transaction each.
pub async fn queue_recorded(kernel: &Kernel) -> Result<(), DbErr> {
    loop {
        let organizations: Vec<OrganizationId> = Entity::find()
            .select_only()
            .column(Column::OrganizationId)
            .distinct()
            .into_tuple()
            .all(kernel.db.read())
            .await?;
        if organizations.is_empty() {
            return Ok(());
        }
        for organization in organizations {
            queue_some(kernel, organization).await?;
        }
        kernel.jobs.wake();
    }
}

/// The position in a batch up to which its events are in the queues.
#[derive(Clone, Copy, PartialEq)]
struct Progress {
    batch: VisitorBatchId,
    events: i32,
}

/// What one transaction does.
#[derive(Default, Clone)]
struct Step {
    before: Vec<Progress>,
    /// Batches of which all events are in the queues.
    done: Vec<VisitorBatchId>,
    /// The batch of which some are.
    begun: Option<Progress>,
    rows: Vec<deliveries::Model>,
}

/// Puts some of the oldest events of an organization into queues: those of one site.
async fn queue_some(kernel: &Kernel, organization: OrganizationId) -> Result<(), DbErr> {
    let batches = oldest(kernel.db.read(), organization).await?;
    let Some(site) = batches.first().map(|batch| batch.site_id) else {
        return Ok(());
    };
    let step = prepare_step(kernel, site, batches).await?;
    let (ids, now) = (kernel.ids.clone(), kernel.clock.now());
    let work = move |tx: Tx| async move {
        let batches = Entity::find().filter(Column::Id.is_in(step.before.iter().map(|progress| progress.batch)));
        let found: Vec<(VisitorBatchId, i32)> = batches
            .select_only()
            .columns([Column::Id, Column::NextEvent])
            .order_by_asc(Column::Id)
            .into_tuple()
            .all(&tx)
            .await?;
        let found = found.into_iter().map(|(batch, events)| Progress { batch, events });
        // Another process has done it.
        if !found.eq(step.before.iter().copied()) {
            return Ok(());
        }
        let done = Entity::delete_many().filter(Column::Id.is_in(step.done));
        done.exec(&tx).await?;
        if let Some(Progress { batch, events }) = step.begun {
            let update = Entity::update_many().col_expr(Column::NextEvent, Expr::value(events));
            update.filter(Column::Id.eq(batch)).exec(&tx).await?;
        }
        outbox::add_sealed(&tx, &ids, step.rows, now).await
    };
    kernel.db.write(work).await
}

/// The oldest batches of an organization that are about the same site.
async fn oldest(db: &impl ConnectionTrait, organization: OrganizationId) -> Result<Vec<Model>, DbErr> {
    let waiting: Vec<(VisitorBatchId, SiteId, i32)> = Entity::find()
        .select_only()
        .columns([Column::Id, Column::SiteId, Column::Size])
        .filter(Column::OrganizationId.eq(organization))
        .order_by_asc(Column::Id)
        .limit(BATCHES_AT_ONCE)
        .into_tuple()
        .all(db)
        .await?;
    let first = waiting.first().map(|(_, site, _)| *site);
    let of_site = waiting.into_iter().filter(|(_, site, _)| Some(*site) == first);
    let mut bytes = 0;
    let fit = of_site.take_while(|(_, _, size)| {
        let is_first = bytes == 0;
        bytes += size;
        is_first || bytes <= BYTES_AT_ONCE
    });
    let fit = Entity::find().filter(Column::Id.is_in(fit.map(|(batch, ..)| batch)));
    fit.order_by_asc(Column::Id).all(db).await
}

/// Prepares the rows of the next events, up to [`ROWS_AT_ONCE`], for installations with room for them.
async fn prepare_step(kernel: &Kernel, site: SiteId, batches: Vec<Model>) -> Result<Step, DbErr> {
    let (mut step, now) = (Step::default(), kernel.clock.now());
    let batches: Vec<(Progress, Vec<VisitorEvent>)> = batches.iter().map(|batch| waiting(kernel, batch)).collect();
    let events: Vec<VisitorEvent> = batches.iter().flat_map(|(_, events)| events).cloned().collect();
    let mut receivers = receivers(kernel, site, &events).await?;
    for (progress, events) in batches {
        step.before.push(progress);
        let mut queued = 0;
        for event in &events {
            if step.rows.len() + receivers.len() > ROWS_AT_ONCE && !step.rows.is_empty() {
                break;
            }
            for receiver in &mut receivers {
                if receiver.takes(event) {
                    step.rows.extend(receiver.row(kernel, site, event, now)?);
                }
            }
            queued += 1;
        }
        if queued == events.len() {
            step.done.push(progress.batch);
            continue;
        }
        let queued = i32::try_from(queued).unwrap_or(i32::MAX);
        step.begun = Some(Progress {
            events: progress.events.saturating_add(queued),
            ..progress
        });
        break;
    }
    Ok(step)
}

/// The events of a batch that are not in the queues yet. After a change of the secret key of the server, earlier batches cannot be read.
fn waiting(kernel: &Kernel, batch: &Model) -> (Progress, Vec<VisitorEvent>) {
    let opened = kernel.secrets.open(&purpose(batch.id), &batch.events);
    let events = opened.ok().and_then(|json| serde_json::from_slice(&json).ok());
    let mut events: Vec<VisitorEvent> = events.unwrap_or_default();
    let queued = usize::try_from(batch.next_event).unwrap_or_default();
    events.drain(..queued.min(events.len()));
    let progress = Progress {
        batch: batch.id,
        events: batch.next_event,
    };
    (progress, events)
}

/// An installation, and the number of events that it may get before it lags.
struct Receiver {
    subscriber: Subscriber,
    recipient: Recipient,
    room: u64,
}

async fn receivers(kernel: &Kernel, site: SiteId, events: &[VisitorEvent]) -> Result<Vec<Receiver>, DbErr> {
    let db = kernel.db.read();
    let subscribers = subscribers(db, site, events).await?;
    let receivers = subscribers.into_iter().filter_map(|subscriber| {
        let Recipient::Installation(integration, installation) = subscriber.recipient else {
            return None;
        };
        Some((subscriber, Recipient::Visitors(integration, installation)))
    });
    let receivers: Vec<(Subscriber, Recipient)> = receivers.collect();
    let queues = receivers.iter().map(|(_, recipient)| recipient.queue()).collect();
    let pending: HashMap<DeliveryQueueId, u64> = outbox::count_pending(db, queues).await?;
    let receiver = |(subscriber, recipient): (Subscriber, Recipient)| {
        let pending = pending.get(&recipient.queue()).copied().unwrap_or_default();
        Receiver {
            subscriber,
            recipient,
            room: MAX_BACKLOG.saturating_sub(pending),
        }
    };
    Ok(receivers.into_iter().map(receiver).collect())
}

impl Receiver {
    /// Returns whether the installation gets an event, and counts it.
    fn takes(&mut self, event: &VisitorEvent) -> bool {
        if self.room == 0 || !self.subscriber.has_scope(event.scope()) {
            return false;
        }
        self.room -= 1;
        true
    }

    /// `None`: the receiver is no installation.
    fn row(
        &self,
        kernel: &Kernel,
        site: SiteId,
        event: &VisitorEvent,
        now: Timestamp,
    ) -> Result<Option<deliveries::Model>, DbErr> {
        let Recipient::Visitors(integration, installation) = self.recipient else {
            return Ok(None);
        };
        let payload = serde_json::to_value(event.payload(site, installation));
        let event = NewEvent {
            integration,
            installation: Some(installation),
            payload: payload.map_err(|error| DbErr::Json(error.to_string()))?,
            due: now,
        };
        let delivery = NewDelivery {
            recipient: self.recipient,
            ..outbox::integration_event(kernel.ids.next(), event)
        };
        outbox::sealed(&kernel.secrets, delivery, now).map(Some)
    }
}
