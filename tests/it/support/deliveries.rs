//! Events for webhooks and integrations, and their delivery.

use std::sync::Arc;

use bindery::{
    app::App,
    areas::integrations::{
        integration_events::{RecordLater, record},
        outbox::{DeliverEvents, DeliverToSlow, NewEvent, PurgeDeliveries, Recipient, RemoveDeliveries, seal},
        space_events::announce_recorded,
        visitor_events::queue_recorded,
    },
};
use chrono::TimeDelta;
use entity::{
    ids::{DeliveryId, IntegrationId, WebhookId},
    integrations::{self, deliveries, delivery_queues, webhooks},
};
use platform::{
    config::Flags,
    db::{Tx, rows},
    jobs::{Kinds, Runner},
};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    client::Call,
    database::TestDatabase,
    jobs::PATIENCE,
    receiver::{Received, Receiver},
    world::{Person, World},
};

/// A world that may send events to this machine.
pub async fn world_with_receivers(database: TestDatabase) -> World {
    let adjust = |flags: &mut Flags| flags.allow_private_addresses = Some("127.0.0.1".to_owned());
    World::with(database, adjust).await
}

/// The jobs that deliver events, in one process.
pub fn delivery_runner(app: &App) -> Runner {
    let deliver = DeliverEvents::new(app.kernel.clone(), Arc::clone(&app.integrations) as _);
    let kinds = Kinds::default()
        .with(deliver.clone())
        .with(DeliverToSlow(deliver))
        .with(RecordLater(app.kernel.clone()))
        .with(RemoveDeliveries(app.kernel.clone()));
    Runner::new(app.kernel.jobs.clone(), kinds)
}

/// Puts changes of content, and what visitors did, into the queues of their receivers.
pub async fn announce(app: &App) {
    announce_recorded(&app.kernel).await.unwrap();
    queue_recorded(&app.kernel).await.unwrap();
}

/// Delivers what is due.
pub async fn deliver(app: &App) {
    announce(app).await;
    timeout(PATIENCE, delivery_runner(app).run_due())
        .await
        .unwrap()
        .unwrap();
}

/// Writes a delivered event of a webhook and of an integration: the path parameters that they are.
pub async fn fill(app: &App, webhook: &str, integration: &str) -> [(&'static str, String); 2] {
    let db = app.kernel.db.read();
    let hook = webhooks::Entity::find_by_id(webhook.parse::<WebhookId>().unwrap());
    let hook = hook.one(db).await.unwrap().unwrap();
    let named = integrations::Entity::find().filter(integrations::Column::Name.eq(integration));
    let named = named.one(db).await.unwrap().unwrap();
    let of_webhook = delivery_queues::Model {
        id: Recipient::Webhook(hook.id).queue(),
        organization_id: hook.organization_id,
        integration_id: None,
        webhook_id: Some(hook.id),
        ordered: true,
        slow_at: None,
        job_id: None,
    };
    let of_integration = delivery_queues::Model {
        id: Recipient::Integration(named.id).queue(),
        organization_id: named.organization_id,
        integration_id: Some(named.id),
        webhook_id: None,
        ordered: true,
        slow_at: None,
        job_id: None,
    };
    [
        ("deliveryId", add_delivered(app, of_webhook).await),
        ("eventId", add_delivered(app, of_integration).await),
    ]
}

async fn add_delivered(app: &App, queue: delivery_queues::Model) -> String {
    let (id, now): (DeliveryId, _) = (app.kernel.ids.next(), app.kernel.clock.now());
    let delivered = deliveries::Model {
        id,
        queue_id: Some(queue.id),
        integration_id: queue.integration_id,
        installation_id: None,
        event_type: "task".to_owned(),
        payload: seal(
            &app.kernel.secrets,
            id,
            &json!({ "eventId": id, "type": "task", "task": {} }).to_string(),
        )
        .unwrap(),
        status: deliveries::DeliveryStatus::Success,
        attempts: 1,
        due_at: None,
        attempted_at: Some(now),
        response_status: Some(200),
        duration_ms: Some(3),
        failure: None,
        logs: None,
        request_id: None,
        created_at: now,
    };
    let work = move |tx: Tx| async move {
        rows::put(&tx, &queue).await?;
        rows::insert(&tx, &delivered).await?;
        Ok::<_, DbErr>(())
    };
    app.kernel.db.write(work).await.unwrap();
    id.to_string()
}

impl World {
    /// One more event of the webhook and of the integration.
    pub async fn add_to_deliveries(&self) {
        fill(self.app(), &self.own("webhookId"), &self.own("integrationName")).await;
    }

    /// A webhook of the organization that gets events of these types.
    pub async fn new_webhook(&self, receiver: &Receiver, types: &[&str]) -> Value {
        let create = self.admin.client.call("createWebhook").here(self);
        let body = json!({ "url": receiver.url, "eventTypes": types });
        create.json(body).expect(201).await
    }

    /// A call about a webhook.
    pub fn on_webhook<'a>(&self, person: &'a Person, operation: &str, webhook: &Value) -> Call<'a> {
        let call = person.client.call(operation).here(self);
        call.path("webhookId", webhook["id"].as_str().unwrap())
    }

    /// The deliveries of a webhook, the newest first.
    pub async fn deliveries(&self, webhook: &Value) -> Vec<Value> {
        let list = self.on_webhook(&self.admin, "listWebhookDeliveries", webhook);
        list.expect(200).await["items"].as_array().unwrap().clone()
    }

    /// Changes the content of a space, and returns its revision.
    pub async fn write_once(&self, space: &str, title: &str) -> String {
        let insert = json!({ "operation": "insert_page", "title": title, "document": { "markdown": "Words." } });
        let call = self.admin.client.call("updateSpaceContent").space(space);
        call.json(json!({ "changes": [insert] })).expect(200).await;
        let space = self.admin.client.call("getSpaceById").space(space).expect(200).await;
        space["revision"].as_str().unwrap().to_owned()
    }

    /// Removes old events.
    pub async fn purge_deliveries(&self) {
        let kernel = &self.app().kernel;
        let kinds = Kinds::default().with_periodic(PurgeDeliveries(kernel.clone()));
        let mut runner = Runner::new(kernel.jobs.clone(), kinds);
        timeout(PATIENCE, runner.run_due()).await.unwrap().unwrap();
    }

    /// Records an event of an integration that is due after a delay.
    pub async fn record_event(&self, integration: IntegrationId, payload: Value, delay: TimeDelta) {
        let kernel = self.app().kernel.clone();
        let work = move |tx: Tx| async move {
            let event = NewEvent {
                integration,
                installation: None,
                payload,
                due: kernel.clock.now().plus(delay),
            };
            record(&tx, &kernel, event).await
        };
        self.app().kernel.db.write(work).await.unwrap();
    }
}

/// The values of a header of requests.
pub fn headers<'a>(requests: &'a [Received], name: &str) -> Vec<&'a str> {
    requests.iter().map(|request| request.headers[name].as_str()).collect()
}
