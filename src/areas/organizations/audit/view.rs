//! Events on the wire.

use entity::organizations::audit_events::{ActorType, Model};
use openapi::{
    error::ApiError,
    models::{
        AuditEvent, AuditEventActor, AuditEventActorType, AuditEventDetails, AuditEventSource, AuditEventTarget,
        AuditEventUrls,
    },
};

use super::store::EventColumns;

use crate::kernel::{
    urls::Urls,
    wire::{ToWire, time, wire_enums},
};

wire_enums! {
    ActorType as AuditEventActorType { User, Integration, Installation, System }
}

/// The version of the form of `payload`.
const SCHEMA_VERSION: u64 = 1;

pub fn event(urls: &Urls, row: EventColumns) -> AuditEvent {
    AuditEvent {
        object: Default::default(),
        id: row.id.as_uuid().to_string(),
        occurred_at: time(row.occurred_at),
        actor: actor(&row),
        source: source(&row),
        target: target(&row),
        urls: location(urls, &row),
        action: row.action,
    }
}

pub fn details(urls: &Urls, row: Model) -> Result<AuditEventDetails, ApiError> {
    let (payload, correlation_id) = (serde_json::from_value(row.payload.clone())?, row.request_id.clone());
    let row = EventColumns::from(row);
    Ok(AuditEventDetails {
        object: Default::default(),
        id: row.id.as_uuid().to_string(),
        occurred_at: time(row.occurred_at),
        actor: actor(&row),
        source: source(&row),
        target: target(&row),
        urls: location(urls, &row),
        action: row.action,
        execution_id: None,
        correlation_id,
        caused_by_event_id: None,
        schema_version: SCHEMA_VERSION,
        payload,
    })
}

fn actor(row: &EventColumns) -> AuditEventActor {
    AuditEventActor {
        r#type: row.actor_type.to_wire(),
        id: row.actor_id.clone(),
        label: row.actor_label.clone(),
    }
}

/// Changes without a request are made by the operator on the command line.
fn source(row: &EventColumns) -> AuditEventSource {
    match row.actor_type {
        ActorType::User => AuditEventSource::Api,
        ActorType::Integration | ActorType::Installation => AuditEventSource::Integration,
        ActorType::System => AuditEventSource::Script,
    }
}

fn target(row: &EventColumns) -> AuditEventTarget {
    AuditEventTarget {
        r#type: row.target_type.clone(),
        id: row.target_id.clone(),
        label: row.target_label.clone(),
    }
}

fn location(urls: &Urls, row: &EventColumns) -> AuditEventUrls {
    AuditEventUrls {
        location: match row.organization_id {
            Some(organization) => format!("{}/audit-events/{}", urls.organization(organization), row.id.as_uuid()),
            None => urls.user_event(row.id),
        },
    }
}
