//! Webhooks on the wire.

use entity::integrations::{deliveries, webhooks::Model};
use openapi::{
    enums::Enumeration,
    models::{Webhook, WebhookDelivery, WebhookEventType, WebhookUrls, WebhookWithSecret},
};
use platform::db::count;

use super::secrets::{self, Key};
use crate::kernel::{
    urls::Urls,
    wire::{ToWire, time},
};

pub fn webhook(urls: &Urls, row: Model) -> Webhook {
    Webhook {
        object: Default::default(),
        id: row.id.to_string(),
        event_types: event_types(&row),
        enabled: row.enabled,
        failing_since: row.failing_since.map(time),
        created_at: time(row.created_at),
        updated_at: time(row.updated_at),
        urls: WebhookUrls {
            location: urls.webhook(row.organization_id, row.id),
        },
        url: row.url,
    }
}

pub fn with_secret(urls: &Urls, row: Model, key: &Key) -> WebhookWithSecret {
    let Webhook {
        object: _,
        id,
        url,
        event_types,
        enabled,
        failing_since,
        created_at,
        updated_at,
        urls,
    } = webhook(urls, row);
    WebhookWithSecret {
        object: Default::default(),
        id,
        url,
        event_types,
        enabled,
        failing_since,
        created_at,
        updated_at,
        urls,
        secret: secrets::text(key),
    }
}

/// A type that this version does not know is left out.
fn event_types(row: &Model) -> Vec<WebhookEventType> {
    let names = row.event_types.as_array().into_iter().flatten();
    names
        .filter_map(|name| WebhookEventType::from_text(name.as_str()?))
        .collect()
}

pub fn delivery(row: deliveries::Model) -> WebhookDelivery {
    WebhookDelivery {
        object: Default::default(),
        id: row.id.to_string(),
        event_type: row.event_type,
        status: row.status.to_wire(),
        attempts: count(row.attempts),
        attempted_at: row.attempted_at.map(time),
        response_status: row.response_status.map(count),
        duration_ms: row.duration_ms.map(count),
        failure: row.failure,
        created_at: time(row.created_at),
    }
}
