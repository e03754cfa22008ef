//! Messages to webhooks.

use entity::{
    ids::{DeliveryId, WebhookId},
    timestamp::Timestamp,
};
use openapi::{enums::Enumeration, models::WebhookEventType};
use platform::request_context::RequestContext;
use serde_json::{Value, json};

use crate::{
    areas::integrations::outbox::{NewDelivery, Recipient},
    kernel::wire::time,
};

/// An event as it is sent.
pub fn delivery(
    id: DeliveryId,
    webhook: WebhookId,
    event_type: WebhookEventType,
    data: Value,
    now: Timestamp,
) -> NewDelivery {
    let payload = json!({ "type": event_type, "timestamp": time(now), "data": data });
    NewDelivery {
        id,
        recipient: Recipient::Webhook(webhook),
        event_type: event_type.as_str().to_owned(),
        payload: payload.to_string(),
        request_id: RequestContext::current_id(),
    }
}
