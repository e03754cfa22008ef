//! Events of integrations and of their installations, and tasks.

mod record;
mod view;

use chrono::TimeDelta;
use entity::{
    ids::{DeliveryId, IntegrationId},
    integrations::{
        Model as Integration,
        deliveries::{Column, DeliveryStatus as Stored, Entity, Model},
    },
};
use openapi::{
    error::ApiError,
    models::{DeliveryStatus, IntegrationEventList, QueueIntegrationTask, TracedIntegrationEvent},
    operations::integration_events::{IntegrationEventsApi, ListIntegrationEventsQuery},
};
use platform::db::{Tx, rows};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, Select};
use serde_json::json;

pub use self::record::{RecordLater, record};

use super::outbox::{self, NewEvent};
use crate::{
    areas::integrations::{Integrations, integration_access::IntegrationAccess},
    kernel::{
        audit::{AuditTarget, Changed},
        lists::List,
    },
};

impl IntegrationEventsApi for Integrations {
    async fn list_integration_events(
        &self,
        access: IntegrationAccess,
        query: ListIntegrationEventsQuery,
    ) -> Result<IntegrationEventList, ApiError> {
        let ListIntegrationEventsQuery { page, limit, status } = query;
        let events = with_status(access.row.id, status);
        let list = List::new(&self.kernel, ("integration-events", access.row.id, status), page, limit);
        let view = |row| view::event(&self.kernel.secrets, &access.row.name, row);
        Ok(list.newest_first(events, |row| row.id, view).await?.into())
    }

    async fn get_integration_event(
        &self,
        access: IntegrationAccess,
        event_id: DeliveryId,
    ) -> Result<TracedIntegrationEvent, ApiError> {
        let row = find(self.kernel.db.read(), access.row.id, event_id).await?;
        Ok(view::traced(&self.kernel.secrets, &access.row.name, row))
    }

    async fn resend_integration_event(&self, access: IntegrationAccess, event_id: DeliveryId) -> Result<(), ApiError> {
        let (integration, kernel) = (access.row, self.kernel.clone());
        let work = move |tx: Tx| async move {
            let row = find(&tx, integration.id, event_id).await?;
            outbox::send_again(&tx, &kernel.ids, row, kernel.clock.now()).await?;
            Changed::of(target(&integration), ()).with(json!({ "event": event_id }))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }

    async fn queue_integration_task(
        &self,
        access: IntegrationAccess,
        body: QueueIntegrationTask,
    ) -> Result<(), ApiError> {
        let QueueIntegrationTask { task, schedule } = body;
        let delay = schedule.map_or(TimeDelta::zero(), |seconds| TimeDelta::seconds(seconds.into()));
        let (integration, kernel) = (access.row, self.kernel.clone());
        let work = move |tx: Tx| async move {
            let event = NewEvent {
                integration: integration.id,
                installation: None,
                payload: json!({ "type": "task", "task": task }),
                due: kernel.clock.now().plus(delay),
            };
            record(&tx, &kernel, event).await?;
            Ok(Changed::of(target(&integration), ()))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }
}

/// The events of an integration.
fn of(integration: IntegrationId) -> Select<Entity> {
    Entity::find().filter(Column::IntegrationId.eq(integration))
}

/// The events with a status; without one, those that were tried.
fn with_status(integration: IntegrationId, status: Option<DeliveryStatus>) -> Select<Entity> {
    match status {
        None => outbox::tried(integration),
        Some(DeliveryStatus::Success) => outbox::tried(integration).filter(Column::Status.eq(Stored::Success)),
        Some(DeliveryStatus::Failed) => outbox::tried(integration).filter(Column::Status.ne(Stored::Success)),
        Some(DeliveryStatus::Pending) => outbox::waiting(integration),
    }
}

async fn find(db: &impl ConnectionTrait, integration: IntegrationId, event: DeliveryId) -> Result<Model, ApiError> {
    let row = rows::find(db, of(integration), event).await?;
    row.ok_or_else(|| ApiError::not_found("event"))
}

fn target(row: &Integration) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "integration", row.id).labelled(&row.name)
}
