//! Removing the events of what was deleted.

use entity::{
    ids::{IntegrationId, JobId, WebhookId},
    timestamp::Timestamp,
};
use platform::{
    db::{IdSource, Tx, rows},
    jobs::{JobContext, JobError, JobKind, enqueue},
};
use sea_orm::DbErr;
use serde::{Deserialize, Serialize};

use super::{recipient::Recipient, store};
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
        let db = &self.0.db;
        match deleted {
            DeletedRecipient::Integration(integration) => {
                // Each event is one of the two, and has an index there.
                rows::remove_in_steps(db, store::waiting(integration)).await?;
                rows::remove_in_steps(db, store::tried(integration)).await?;
            }
            DeletedRecipient::Webhook(webhook) => {
                rows::remove_in_steps(db, store::of_queue(Recipient::Webhook(webhook).queue())).await?;
            }
        }
        Ok(())
    }
}

/// Removes events after the transaction that deletes their receiver. Call [`platform::jobs::JobQueue::wake`] after the commit.
pub async fn remove_later(tx: &Tx, ids: &IdSource, deleted: DeletedRecipient, now: Timestamp) -> Result<(), DbErr> {
    let job: JobId = ids.next();
    enqueue::<RemoveDeliveries>(tx, vec![(job, deleted)], now).await
}
