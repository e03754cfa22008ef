//! The receivers of events, and their queues.

use entity::{
    ids::{DeliveryQueueId, IntegrationId, IntegrationInstallationId, WebhookId},
    integrations::deliveries::Model,
};
use platform::hash::Hash;
use uuid::Uuid;

/// The receiver of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipient {
    /// For what concerns no installation.
    Integration(IntegrationId),
    Installation(IntegrationId, IntegrationInstallationId),
    /// An installation, for what visitors of sites do: these events have a queue of their own, without order.
    Visitors(IntegrationId, IntegrationInstallationId),
    Webhook(WebhookId),
}

impl Recipient {
    /// The receiver of an event that is stored. `None`: somebody waited for the answer.
    pub(super) fn of(row: &Model) -> Option<Self> {
        let queue = row.queue_id?;
        Some(match (row.integration_id, row.installation_id) {
            (Some(integration), Some(installation)) => {
                let visitors = Self::Visitors(integration, installation);
                if visitors.queue() == queue {
                    visitors
                } else {
                    Self::Installation(integration, installation)
                }
            }
            (Some(integration), None) => Self::Integration(integration),
            (None, _) => Self::Webhook(WebhookId::from_uuid(*queue.as_uuid())),
        })
    }

    pub fn queue(self) -> DeliveryQueueId {
        let id = match self {
            Self::Integration(id) => *id.as_uuid(),
            Self::Installation(_, id) => *id.as_uuid(),
            Self::Visitors(_, id) => visitors_queue(id),
            Self::Webhook(id) => *id.as_uuid(),
        };
        DeliveryQueueId::from_uuid(id)
    }

    pub(super) fn integration(self) -> Option<IntegrationId> {
        match self {
            Self::Integration(id) | Self::Installation(id, _) | Self::Visitors(id, _) => Some(id),
            Self::Webhook(_) => None,
        }
    }

    pub(super) fn installation(self) -> Option<IntegrationInstallationId> {
        match self {
            Self::Installation(_, id) | Self::Visitors(_, id) => Some(id),
            Self::Integration(_) | Self::Webhook(_) => None,
        }
    }

    pub(super) fn webhook(self) -> Option<WebhookId> {
        match self {
            Self::Webhook(id) => Some(id),
            Self::Integration(_) | Self::Installation(..) | Self::Visitors(..) => None,
        }
    }

    /// Returns whether events wait for those before them.
    pub(super) fn is_ordered(self) -> bool {
        !matches!(self, Self::Visitors(..))
    }
}

/// The id of the queue for what visitors do. It follows from that of the installation.
fn visitors_queue(installation: IntegrationInstallationId) -> Uuid {
    let id = [installation.as_uuid().as_bytes().as_slice(), b"visitors"].concat();
    Hash::of(&id).to_uuid()
}
