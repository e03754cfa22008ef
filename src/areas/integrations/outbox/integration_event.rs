//! Events of integrations.

use entity::{
    ids::{DeliveryId, IntegrationId, IntegrationInstallationId},
    timestamp::Timestamp,
};
use platform::request_context::RequestContext;
use serde_json::{Value, json};

use super::{NewDelivery, Recipient};

/// An event for an integration, or for one of its installations.
pub struct NewEvent {
    pub integration: IntegrationId,
    pub installation: Option<IntegrationInstallationId>,
    /// An object with `type`; `eventId` is added to it.
    pub payload: Value,
    /// The time of the first delivery.
    pub due: Timestamp,
}

/// An event as it is delivered.
pub fn integration_event(id: DeliveryId, event: NewEvent) -> NewDelivery {
    let NewEvent {
        integration,
        installation,
        mut payload,
        due: _,
    } = event;
    let event_type = payload
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    if let Some(members) = payload.as_object_mut() {
        members.insert("eventId".to_owned(), json!(id));
    }
    NewDelivery {
        id,
        recipient: match installation {
            Some(installation) => Recipient::Installation(integration, installation),
            None => Recipient::Integration(integration),
        },
        event_type,
        payload: payload.to_string(),
        request_id: RequestContext::current_id(),
    }
}
