//! Events that somebody waited for. They have a row like others, and are not delivered again.

use std::time::Duration;

use entity::{
    ids::{DeliveryId, IntegrationId, IntegrationInstallationId},
    integrations::deliveries::{DeliveryStatus, Model},
    timestamp::Timestamp,
};
use platform::{
    db::{Tx, rows},
    request_context::RequestContext,
};
use sea_orm::{DbErr, JsonValue};

use super::{
    payload,
    store::{milliseconds, stored_failure},
};
use crate::kernel::Kernel;

/// An event that has ended.
pub struct AnsweredEvent {
    pub id: DeliveryId,
    pub integration: IntegrationId,
    pub installation: Option<IntegrationInstallationId>,
    pub event_type: String,
    /// JSON.
    pub payload: String,
    pub created_at: Timestamp,
    /// `None`: there was no response.
    pub response_status: Option<u16>,
    /// `None`: the event has succeeded.
    pub failure: Option<String>,
    pub duration: Duration,
    pub logs: Option<JsonValue>,
}

pub async fn record_answered(kernel: &Kernel, event: AnsweredEvent) -> Result<(), DbErr> {
    let row = Model {
        id: event.id,
        queue_id: None,
        integration_id: Some(event.integration),
        installation_id: event.installation,
        event_type: event.event_type,
        payload: payload::seal(&kernel.secrets, event.id, &event.payload)?,
        status: match event.failure {
            Some(_) => DeliveryStatus::Failed,
            None => DeliveryStatus::Success,
        },
        attempts: 1,
        due_at: None,
        attempted_at: Some(kernel.clock.now()),
        response_status: event.response_status.map(i32::from),
        duration_ms: Some(milliseconds(event.duration)),
        failure: event.failure.as_deref().map(stored_failure),
        logs: event.logs,
        request_id: RequestContext::current_id(),
        created_at: event.created_at,
    };
    let work = move |tx: Tx| async move { rows::insert(&tx, &row).await };
    kernel.db.write(work).await
}
