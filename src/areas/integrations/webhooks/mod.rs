//! Webhooks: addresses of an organization that events are sent to, in the form of Standard Webhooks.

mod message;
mod secrets;
mod view;

use entity::{
    ids::{DeliveryId, OrganizationId, WebhookId},
    integrations::webhooks::{ActiveModel, Column, Entity, Model},
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorRule, ErrorType},
    models::{CreateWebhook, UpdateWebhook, Webhook, WebhookDeliveryList, WebhookList, WebhookWithSecret},
    operations::webhooks::{ListWebhookDeliveriesQuery, ListWebhooksQuery, WebhooksApi},
};
use platform::{
    db::{Tx, rows},
    outbound::without_query,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, Select,
};
use serde_json::json;

pub use self::{message::delivery, secrets::sign};

use super::outbox::{self, DeletedRecipient, Recipient};
use crate::{
    access::OrganizationAccess,
    areas::integrations::Integrations,
    kernel::{
        Kernel,
        audit::{AuditTarget, Changed},
        lists::List,
    },
};

/// Webhooks of an organization.
const MAX_WEBHOOKS: u64 = 50;

impl WebhooksApi for Integrations {
    async fn list_webhooks(
        &self,
        access: OrganizationAccess,
        query: ListWebhooksQuery,
    ) -> Result<WebhookList, ApiError> {
        let list = List::new(&self.kernel, ("webhooks", access.organization), query.page, query.limit);
        let view = |row| view::webhook(&self.kernel.urls, row);
        let page = list.newest_first(of(access.organization), |row| row.id, view).await?;
        Ok(page.into())
    }

    async fn create_webhook(
        &self,
        access: OrganizationAccess,
        body: CreateWebhook,
    ) -> Result<Created<WebhookWithSecret>, ApiError> {
        let CreateWebhook { url, event_types } = body;
        check_url(&self.kernel, &url)?;
        let (id, now) = (self.kernel.ids.next(), self.kernel.clock.now());
        let secret = secrets::generate()?;
        let row = Model {
            id,
            organization_id: access.organization,
            url,
            event_types: serde_json::to_value(event_types)?,
            enabled: true,
            secret: secrets::seal(&self.kernel, id, &secret)?,
            previous_secrets: json!([]),
            failing_since: None,
            created_at: now,
            updated_at: now,
        };
        let work = move |tx: Tx| async move {
            if of(row.organization_id).count(&tx).await? >= MAX_WEBHOOKS {
                let message = format!("An organization has at most {MAX_WEBHOOKS} webhooks.");
                return Err(ApiError::new(ErrorType::TooManyWebhooks, message));
            }
            rows::insert(&tx, &row).await?;
            let details = details(&row);
            Changed::of(target(&row), row).with(details)
        };
        let row = self.kernel.write(&access.caller, work).await?;
        Ok(Created {
            location: self.kernel.urls.webhook(row.organization_id, row.id),
            body: view::with_secret(&self.kernel.urls, row, &secret),
        })
    }

    async fn get_webhook_by_id(&self, access: OrganizationAccess, webhook_id: WebhookId) -> Result<Webhook, ApiError> {
        let row = find(self.kernel.db.read(), access.organization, webhook_id).await?;
        Ok(view::webhook(&self.kernel.urls, row))
    }

    async fn update_webhook(
        &self,
        access: OrganizationAccess,
        webhook_id: WebhookId,
        body: UpdateWebhook,
    ) -> Result<Webhook, ApiError> {
        let UpdateWebhook {
            url,
            event_types,
            enabled,
        } = body;
        if let Some(url) = &url {
            check_url(&self.kernel, url)?;
        }
        let event_types = event_types.map(serde_json::to_value).transpose()?;
        let (organization, now) = (access.organization, self.kernel.clock.now());
        let work = move |tx: Tx| async move {
            let mut row = ActiveModel::from(find(&tx, organization, webhook_id).await?);
            if let Some(url) = url {
                row.url = Set(url);
            }
            if let Some(event_types) = event_types {
                row.event_types = Set(event_types);
            }
            if let Some(enabled) = enabled {
                row.enabled = Set(enabled);
            }
            // The five days begin anew.
            row.failing_since = Set(None);
            row.updated_at = Set(now);
            let row = row.update(&tx).await?;
            outbox::run_now(&tx, Recipient::Webhook(row.id).queue(), now).await?;
            let details = details(&row);
            Changed::of(target(&row), row).with(details)
        };
        let row = self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(view::webhook(&self.kernel.urls, row))
    }

    async fn delete_webhook(&self, access: OrganizationAccess, webhook_id: WebhookId) -> Result<(), ApiError> {
        let (organization, kernel) = (access.organization, self.kernel.clone());
        let work = move |tx: Tx| async move {
            let Some(removed) = rows::remove(&tx, of(organization), webhook_id).await? else {
                return Ok(Changed::nothing(()));
            };
            let deleted = DeletedRecipient::Webhook(removed.id);
            outbox::remove_later(&tx, &kernel.ids, deleted, kernel.clock.now()).await?;
            Ok(Changed::of(target(&removed), ()))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }

    async fn rotate_webhook_secret(
        &self,
        access: OrganizationAccess,
        webhook_id: WebhookId,
    ) -> Result<WebhookWithSecret, ApiError> {
        let secret = secrets::generate()?;
        let sealed = secrets::seal(&self.kernel, webhook_id, &secret)?;
        let (organization, now) = (access.organization, self.kernel.clock.now());
        let work = move |tx: Tx| async move {
            let row = find(&tx, organization, webhook_id).await?;
            let previous = secrets::with_replaced(&row, now)?;
            let mut row = ActiveModel::from(row);
            row.secret = Set(sealed);
            row.previous_secrets = Set(previous);
            row.updated_at = Set(now);
            let row = row.update(&tx).await?;
            Ok(Changed::of(target(&row), row))
        };
        let row = self.kernel.write(&access.caller, work).await?;
        Ok(view::with_secret(&self.kernel.urls, row, &secret))
    }

    async fn list_webhook_deliveries(
        &self,
        access: OrganizationAccess,
        webhook_id: WebhookId,
        query: ListWebhookDeliveriesQuery,
    ) -> Result<WebhookDeliveryList, ApiError> {
        let row = find(self.kernel.db.read(), access.organization, webhook_id).await?;
        let list = List::new(&self.kernel, ("webhook-deliveries", row.id), query.page, query.limit);
        let rows = outbox::of_queue(Recipient::Webhook(row.id).queue());
        Ok(list.newest_first(rows, |row| row.id, view::delivery).await?.into())
    }

    async fn resend_webhook_delivery(
        &self,
        access: OrganizationAccess,
        webhook_id: WebhookId,
        delivery_id: DeliveryId,
    ) -> Result<(), ApiError> {
        let (organization, kernel) = (access.organization, self.kernel.clone());
        let work = move |tx: Tx| async move {
            let webhook = find(&tx, organization, webhook_id).await?;
            let deliveries = outbox::of_queue(Recipient::Webhook(webhook.id).queue());
            let row = rows::find(&tx, deliveries, delivery_id).await?;
            let row = row.ok_or_else(|| ApiError::not_found("delivery"))?;
            outbox::send_again(&tx, &kernel.ids, row, kernel.clock.now()).await?;
            Changed::of(target(&webhook), ()).with(json!({ "delivery": delivery_id }))
        };
        self.kernel.write(&access.caller, work).await?;
        self.kernel.jobs.wake();
        Ok(())
    }
}

fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

async fn find(db: &impl ConnectionTrait, organization: OrganizationId, webhook: WebhookId) -> Result<Model, ApiError> {
    let row = rows::find(db, of(organization), webhook).await?;
    row.ok_or_else(|| ApiError::not_found("webhook"))
}

/// Refuses an address as far as its text decides; the rest is checked at each request to it.
fn check_url(kernel: &Kernel, url: &str) -> Result<(), ApiError> {
    kernel.outbound.check(url).map_err(|error| {
        let message = format!("`url` {error}.");
        ApiError::invalid_member("/body/url", ErrorRule::Address, message)
    })
}

fn target(row: &Model) -> AuditTarget {
    AuditTarget::in_organization(row.organization_id, "webhook", row.id).labelled(without_query(&row.url))
}

fn details(row: &Model) -> serde_json::Value {
    json!({ "url": without_query(&row.url), "eventTypes": row.event_types, "enabled": row.enabled })
}
