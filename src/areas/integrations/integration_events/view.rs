//! Events of integrations on the wire.

use std::collections::BTreeMap;

use entity::integrations::deliveries::{DeliveryStatus as Stored, Model};
use openapi::{
    enums::Enumeration,
    models::{
        DeliveryStatus, IntegrationEvent, IntegrationEventLog, IntegrationEventLogLevel, IntegrationEventPayload,
        IntegrationEventTrace, TracedIntegrationEvent,
    },
    values::Timestamp,
};
use platform::secrets::Secrets;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    areas::integrations::outbox,
    kernel::wire::{ToWire, time},
};

/// A log line as it is stored.
#[derive(Deserialize)]
struct StoredLine {
    level: String,
    timestamp: Timestamp,
    message: String,
}

pub fn event(secrets: &Secrets, integration: &str, row: Model) -> IntegrationEvent {
    IntegrationEvent {
        id: row.id.to_string(),
        integration_id: integration.to_owned(),
        installation_id: row.installation_id.map(|installation| installation.to_string()),
        created_at: time(row.created_at),
        status: status(&row),
        payload: payload(secrets, row),
    }
}

/// Clients know `success` and `failed`. An event that has failed and waits for another attempt has failed.
fn status(row: &Model) -> DeliveryStatus {
    match row.attempted_at {
        Some(_) if row.status != Stored::Success => DeliveryStatus::Failed,
        _ => row.status.to_wire(),
    }
}

fn payload(secrets: &Secrets, row: Model) -> IntegrationEventPayload {
    // After a change of the secret key of the server, earlier payloads cannot be read.
    let stored = outbox::open(secrets, &row).unwrap_or_default();
    // Only objects are stored.
    let mut additional: BTreeMap<String, Value> = serde_json::from_str(&stored).unwrap_or_default();
    for member in ["eventId", "type"] {
        additional.remove(member);
    }
    IntegrationEventPayload {
        event_id: row.id.to_string(),
        r#type: row.event_type,
        additional,
    }
}

pub fn traced(secrets: &Secrets, integration: &str, row: Model) -> TracedIntegrationEvent {
    TracedIntegrationEvent {
        trace: IntegrationEventTrace { logs: logs(&row) },
        event: event(secrets, integration, row),
    }
}

/// The log lines of the script, and the reason for which the attempt failed.
fn logs(row: &Model) -> Vec<IntegrationEventLog> {
    let lines: Option<Vec<StoredLine>> = row.logs.clone().and_then(|logs| serde_json::from_value(logs).ok());
    let lines = lines.into_iter().flatten().map(|line| IntegrationEventLog {
        message: line.message,
        timestamp: line.timestamp,
        level: IntegrationEventLogLevel::from_text(&line.level).unwrap_or(IntegrationEventLogLevel::Info),
    });
    let failure = row.failure.as_ref().zip(row.attempted_at);
    let failure = failure.map(|(failure, at)| IntegrationEventLog {
        message: failure.clone(),
        timestamp: time(at),
        level: IntegrationEventLogLevel::Error,
    });
    lines.chain(failure).collect()
}
