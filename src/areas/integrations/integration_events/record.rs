//! Recording events for integrations.

use entity::{
    ids::{DeliveryId, IntegrationId, IntegrationInstallationId, JobId},
    integrations::{self, deliveries},
};
use platform::{
    db::{Tx, rows},
    jobs::{JobContext, JobError, JobKind, enqueue_at},
};
use sea_orm::{DbErr, EntityTrait};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    areas::integrations::{
        outbox::{self, NewEvent},
        space_events,
    },
    kernel::Kernel,
};

/// Records an event, in the transaction of the change that it is about. Call [`platform::jobs::JobQueue::wake`] after the commit.
pub async fn record(tx: &Tx, kernel: &Kernel, event: NewEvent) -> Result<(), DbErr> {
    let now = kernel.clock.now();
    if event.due <= now {
        // Delivery ids define the order, so pending content changes get theirs first.
        space_events::announce_all(&kernel.hooks.context(tx)).await?;
        let event = outbox::integration_event(kernel.ids.next(), event);
        return outbox::add(tx, &kernel.ids, &kernel.secrets, vec![event], now).await;
    }
    let (job, due): (JobId, _) = (kernel.ids.next(), event.due);
    let later = LaterEvent {
        id: kernel.ids.next(),
        integration: event.integration,
        installation: event.installation,
        payload: event.payload,
    };
    enqueue_at::<RecordLater>(tx, vec![(job, later)], due, now).await
}

/// Records an event when it is due, so that it does not keep others of its queue waiting.
pub struct RecordLater(pub Kernel);

#[derive(Clone, Serialize, Deserialize)]
pub struct LaterEvent {
    id: DeliveryId,
    integration: IntegrationId,
    installation: Option<IntegrationInstallationId>,
    payload: Value,
}

impl JobKind for RecordLater {
    const NAME: &'static str = "record-integration-event";
    type Payload = LaterEvent;

    async fn run(&self, _: &JobContext, later: LaterEvent) -> Result<(), JobError> {
        let (kernel, now) = (self.0.clone(), self.0.clock.now());
        let work = move |tx: Tx| async move {
            let (integration, id) = (later.integration, later.id);
            let exists = rows::is_any(&tx, integrations::Entity::find_by_id(integration)).await?;
            // A second run of the job finds the event of the first.
            if !exists || rows::is_any(&tx, deliveries::Entity::find_by_id(id)).await? {
                return Ok(());
            }
            let event = NewEvent {
                integration,
                installation: later.installation,
                payload: later.payload,
                due: now,
            };
            space_events::announce_all(&kernel.hooks.context(&tx)).await?;
            let event = outbox::integration_event(id, event);
            outbox::add(&tx, &kernel.ids, &kernel.secrets, vec![event], now).await
        };
        self.0.db.write(work).await?;
        self.0.jobs.wake();
        Ok(())
    }
}
