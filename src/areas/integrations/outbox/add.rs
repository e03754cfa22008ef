//! Adding events to queues.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use entity::{
    ids::{DeliveryId, DeliveryQueueId, IntegrationId, IntegrationInstallationId, OrganizationId, WebhookId},
    integrations::{
        self,
        deliveries::{ActiveModel, DeliveryStatus, Entity, Model},
        delivery_queues, installations, webhooks,
    },
    timestamp::Timestamp,
};
use openapi::error::{ApiError, ErrorType};
use platform::{
    db::{IdSource, Tx},
    jobs::{NewJob, enqueue, hasten, make_due},
    secrets::Secrets,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    sea_query::OnConflict,
};

use super::{
    deliver_job::{DELAY_IN_LINE, DeliverEvents, DeliverToSlow, QueueToDeliver, is_slow},
    payload::seal,
    recipient::Recipient,
    store,
};

/// Rows of one statement.
const ROWS_AT_ONCE: usize = 500;

/// An event for one recipient.
pub struct NewDelivery {
    /// Ids order the events of a queue.
    pub id: DeliveryId,
    pub recipient: Recipient,
    pub event_type: String,
    /// JSON.
    pub payload: String,
    /// The request that the event follows from.
    pub request_id: Option<String>,
}

/// Adds events to the queues of their recipients. Call [`platform::jobs::JobQueue::wake`] after the commit.
pub async fn add(
    tx: &Tx,
    ids: &IdSource,
    secrets: &Secrets,
    new: Vec<NewDelivery>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let rows = new.into_iter().map(|delivery| sealed(secrets, delivery, now));
    add_sealed(tx, ids, rows.collect::<Result<_, DbErr>>()?, now).await
}

/// The same, of events that were sealed before the transaction.
pub async fn add_sealed(tx: &Tx, ids: &IdSource, rows: Vec<Model>, now: Timestamp) -> Result<(), DbErr> {
    activate(tx, ids, rows.iter().filter_map(Recipient::of).collect(), now).await?;
    let mut rows = rows
        .into_iter()
        .map(|row| row.into_active_model().reset_all())
        .peekable();
    while rows.peek().is_some() {
        let some: Vec<ActiveModel> = rows.by_ref().take(ROWS_AT_ONCE).collect();
        Entity::insert_many(some).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// The row of an event.
pub fn sealed(secrets: &Secrets, new: NewDelivery, now: Timestamp) -> Result<Model, DbErr> {
    Ok(Model {
        id: new.id,
        queue_id: Some(new.recipient.queue()),
        integration_id: new.recipient.integration(),
        installation_id: new.recipient.installation(),
        event_type: new.event_type,
        payload: seal(secrets, new.id, &new.payload)?,
        status: DeliveryStatus::Pending,
        attempts: 0,
        due_at: Some(now),
        attempted_at: None,
        response_status: None,
        duration_ms: None,
        failure: None,
        logs: None,
        request_id: new.request_id,
        created_at: now,
    })
}

/// Delivers an event once more, whether it was delivered or not.
pub async fn send_again(tx: &Tx, ids: &IdSource, row: Model, now: Timestamp) -> Result<(), ApiError> {
    let recipient = Recipient::of(&row).ok_or_else(|| {
        ApiError::new(
            ErrorType::EventAnswered,
            "Somebody waited for the answer to the event, which is not sent again.",
        )
    })?;
    let mut row = ActiveModel::from(row);
    row.status = Set(DeliveryStatus::Pending);
    row.attempts = Set(0);
    row.due_at = Set(Some(now));
    row.update(tx).await?;
    activate(tx, ids, vec![recipient], now).await?;
    Ok(run_now(tx, recipient.queue(), now).await?)
}

/// Delivers what is pending at once, even if the next attempt would be later.
pub async fn run_now(tx: &Tx, queue: DeliveryQueueId, now: Timestamp) -> Result<(), DbErr> {
    store::make_due(tx, queue, now).await?;
    let queue = delivery_queues::Entity::find_by_id(queue).one(tx).await?;
    if let Some(job) = queue.and_then(|queue| queue.job_id) {
        make_due(tx, job, now).await?;
    }
    Ok(())
}

/// Gives a job to each queue that has none, and lets the others run if they wait for an attempt that holds up nothing.
///
/// The job of a queue gives the queue up in a transaction that finds nothing pending. Writes are serializable, so none of those
/// that see the job here adds an event that the job does not find.
async fn activate(tx: &Tx, ids: &IdSource, recipients: Vec<Recipient>, now: Timestamp) -> Result<(), DbErr> {
    let mut idle: BTreeMap<DeliveryQueueId, Recipient> = recipients.into_iter().map(|to| (to.queue(), to)).collect();
    if idle.is_empty() {
        return Ok(());
    }
    let found = delivery_queues::Entity::find()
        .filter(delivery_queues::Column::Id.is_in(idle.keys().copied()))
        .all(tx)
        .await?;
    let (mut queues, mut ordered, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for queue in found {
        idle.remove(&queue.id);
        match queue.job_id {
            Some(job) if queue.ordered => ordered.push(job),
            Some(job) => others.push(job),
            None => queues.push(queue),
        }
    }
    for (jobs, patience) in [(ordered, DELAY_IN_LINE), (others, TimeDelta::zero())] {
        if !jobs.is_empty() {
            hasten(tx, jobs, patience, now).await?;
        }
    }
    if !idle.is_empty() {
        queues.extend(new_queues(tx, idle).await?);
    }
    if queues.is_empty() {
        return Ok(());
    }
    let (mut jobs, mut slow) = (Vec::new(), Vec::new());
    for queue in &mut queues {
        let job = ids.next();
        queue.job_id = Some(job);
        let jobs = if is_slow(queue, now) { &mut slow } else { &mut jobs };
        jobs.push(NewJob {
            id: job,
            organization: Some(queue.organization_id),
            payload: QueueToDeliver { queue: queue.id },
        });
    }
    let queues = queues.into_iter().map(|queue| queue.into_active_model().reset_all());
    let take = OnConflict::column(delivery_queues::Column::Id)
        .update_column(delivery_queues::Column::JobId)
        .to_owned();
    delivery_queues::Entity::insert_many(queues)
        .on_conflict(take)
        .exec_without_returning(tx)
        .await?;
    enqueue::<DeliverEvents>(tx, jobs, now).await?;
    enqueue::<DeliverToSlow>(tx, slow, now).await
}

/// The queues of receivers that have got nothing yet.
async fn new_queues(
    tx: &Tx,
    recipients: BTreeMap<DeliveryQueueId, Recipient>,
) -> Result<Vec<delivery_queues::Model>, DbErr> {
    let to: Vec<Recipient> = recipients.values().copied().collect();
    let organizations: BTreeMap<DeliveryQueueId, OrganizationId> =
        load_organizations(tx, &to).await?.into_iter().collect();
    let queue = |(id, to): (DeliveryQueueId, Recipient)| {
        let organization = organizations.get(&id).copied();
        Ok(delivery_queues::Model {
            id,
            organization_id: organization.ok_or_else(|| DbErr::RecordNotFound(format!("the receiver {to:?}")))?,
            integration_id: to.integration(),
            webhook_id: to.webhook(),
            ordered: to.is_ordered(),
            slow_at: None,
            job_id: None,
        })
    };
    recipients.into_iter().map(queue).collect()
}

/// The organizations of receivers that have got nothing yet.
async fn load_organizations(
    tx: &Tx,
    recipients: &[Recipient],
) -> Result<Vec<(DeliveryQueueId, OrganizationId)>, DbErr> {
    let installed: Vec<(IntegrationInstallationId, OrganizationId)> = installations::Entity::find()
        .select_only()
        .columns([installations::Column::Id, installations::Column::OrganizationId])
        .filter(installations::Column::Id.is_in(recipients.iter().filter_map(|to| to.installation())))
        .into_tuple()
        .all(tx)
        .await?;
    let owners: Vec<(IntegrationId, OrganizationId)> = integrations::Entity::find()
        .select_only()
        .columns([integrations::Column::Id, integrations::Column::OrganizationId])
        .filter(integrations::Column::Id.is_in(recipients.iter().filter_map(|to| to.integration())))
        .into_tuple()
        .all(tx)
        .await?;
    let hooked: Vec<(WebhookId, OrganizationId)> = webhooks::Entity::find()
        .select_only()
        .columns([webhooks::Column::Id, webhooks::Column::OrganizationId])
        .filter(webhooks::Column::Id.is_in(recipients.iter().filter_map(|to| to.webhook())))
        .into_tuple()
        .all(tx)
        .await?;
    let organization_of = |to: &Recipient| match *to {
        // An installation that is gone is told so as well.
        Recipient::Installation(integration, id) | Recipient::Visitors(integration, id) => {
            find(&installed, id).or_else(|| find(&owners, integration))
        }
        Recipient::Integration(id) => find(&owners, id),
        Recipient::Webhook(id) => find(&hooked, id),
    };
    Ok(recipients
        .iter()
        .filter_map(|to| Some((to.queue(), organization_of(to)?)))
        .collect())
}

fn find<I: Copy + PartialEq>(rows: &[(I, OrganizationId)], id: I) -> Option<OrganizationId> {
    rows.iter()
        .find(|(row, _)| *row == id)
        .map(|(_, organization)| *organization)
}
