//! Removing the events of what was deleted.

use entity::{
    ids::{IntegrationId, JobId, WebhookId},
    integrations::deliveries::{Column, Entity},
    timestamp::Timestamp,
};
use platform::{
    db::{IdSource, Tx, rows},
    jobs::{JobContext, JobError, JobKind, enqueue},
};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use serde::{Deserialize, Serialize};

use super::{add::Recipient, store::of_queue};
use crate::kernel::Kernel;

/// A receiver of events that was deleted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub enum DeletedRecipient {
    /// With all its installations.
    Integration(IntegrationId),
    Webhook(WebhookId),
}

/// Removes the events of a receiver that was deleted, in transactions of few rows.
pub struct RemoveDeliveries(pub Kernel);

impl JobKind for RemoveDeliveries {
    const NAME: &'static str = "remove-deliveries";
    type Payload = DeletedRecipient;

    async fn run(&self, _: &JobContext, deleted: DeletedRecipient) -> Result<(), JobError> {
        let events = match deleted {
            DeletedRecipient::Integration(integration) => Entity::find().filter(Column::IntegrationId.eq(integration)),
            DeletedRecipient::Webhook(webhook) => of_queue(Recipient::Webhook(webhook).queue()),
        };
        Ok(rows::remove_in_steps(&self.0.db, events).await?)
    }
}

/// Removes events after the transaction that deletes their receiver. Call [`platform::jobs::JobQueue::wake`] after the commit.
pub async fn remove_later(tx: &Tx, ids: &IdSource, deleted: DeletedRecipient, now: Timestamp) -> Result<(), DbErr> {
    let job: JobId = ids.next();
    enqueue::<RemoveDeliveries>(tx, vec![(job, deleted)], now).await
}
