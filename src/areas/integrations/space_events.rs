//! Events about spaces.
//!
//! A content change is a single row, inserted in the transaction of the change. [`run`] adds the events to the queues of their
//! receivers every half second, in batches: the cost of a write does not grow with the number of receivers.

use std::{collections::HashMap, time::Duration};

use entity::{
    ids::{ContentChangeId, NodeId, UserId},
    integrations::content_changes,
    timestamp::Timestamp,
};
use openapi::models::{IntegrationScope, WebhookEventType};
use platform::{
    db::{Tx, rows},
    request_context::RequestContext,
};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::{
    outbox::{self, NewDelivery, NewEvent, Recipient},
    subscribers::{self, Subscriber},
    webhooks,
};
use crate::{
    areas::identity::users,
    kernel::{
        Kernel,
        hooks::{ContentChange, HookContext},
    },
};

const CONTENT_SCOPE: IntegrationScope = IntegrationScope::SpaceContentRead;
const CONTENT_UPDATED: WebhookEventType = WebhookEventType::SpaceContentUpdated;

/// Changes that one transaction puts into queues.
const CHANGES_AT_ONCE: u64 = 50;

/// The time between two looks for changes.
const INTERVAL: Duration = Duration::from_millis(500);

/// The time until the next look after a failed one.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// The forms of an event for integrations and for webhooks.
pub struct SpaceEvent {
    pub scope: IntegrationScope,
    /// That of integrations.
    pub name: &'static str,
    pub webhook_type: WebhookEventType,
    pub space: NodeId,
    pub members: Value,
    pub at: Timestamp,
}

impl SpaceEvent {
    /// Returns one delivery for each subscriber of the space that gets this event.
    pub fn deliveries(&self, context: &HookContext<'_>, subscribers: &[Subscriber]) -> Vec<NewDelivery> {
        let of_space = subscribers.iter().filter(|to| to.place == *self.space.as_uuid());
        let wanting = of_space.filter(|to| to.wants(self.scope, self.webhook_type));
        wanting.map(|to| self.delivery(context, to.recipient)).collect()
    }

    fn delivery(&self, context: &HookContext<'_>, recipient: Recipient) -> NewDelivery {
        let id = context.ids.next();
        let mut members = self.members.clone();
        let mut set = |name: &str, value: Value| {
            if let Some(members) = members.as_object_mut() {
                members.insert(name.to_owned(), value);
            }
        };
        set("spaceId", json!(self.space));
        let (integration, installation) = match recipient {
            Recipient::Webhook(webhook) => {
                return webhooks::delivery(id, webhook, self.webhook_type, members, self.at);
            }
            Recipient::Integration(integration) => (integration, None),
            Recipient::Installation(integration, installation) | Recipient::Visitors(integration, installation) => {
                set("installationId", json!(installation));
                (integration, Some(installation))
            }
        };
        set("type", json!(self.name));
        let event = NewEvent {
            integration,
            installation,
            payload: members,
            due: context.now,
        };
        outbox::integration_event(id, event)
    }
}

/// Returns whether the receiver gets events about content changes.
pub fn wants_content(subscriber: &Subscriber) -> bool {
    subscriber.wants(CONTENT_SCOPE, CONTENT_UPDATED)
}

/// Records a change, in its transaction.
pub async fn record_change(context: &HookContext<'_>, change: ContentChange) -> Result<(), DbErr> {
    let row = content_changes::Model {
        id: context.ids.next::<ContentChangeId>(),
        space_id: change.space,
        revision_id: change.revision,
        author_id: change.author,
        changed_at: context.now,
        request_id: RequestContext::current_id(),
    };
    rows::insert(context.tx, &row).await
}

/// Announces recorded changes in the background.
pub async fn run(kernel: Kernel) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = announce_recorded(&kernel).await {
            tracing::warn!(%error, "cannot put changes of content into the queues of integrations and webhooks; retrying");
            sleep(PAUSE_AFTER_FAILURE).await;
        }
    }
}

/// Announces all recorded changes, in transactions of at most [`CHANGES_AT_ONCE`] changes.
pub async fn announce_recorded(kernel: &Kernel) -> Result<(), DbErr> {
    while rows::is_any(kernel.db.read(), content_changes::Entity::find()).await? {
        let hooks = kernel.hooks.clone();
        let work = move |tx: Tx| async move { announce(&hooks.context(&tx)).await };
        kernel.db.write(work).await?;
        kernel.jobs.wake();
    }
    Ok(())
}

/// Announces all recorded changes in the transaction of a later event.
pub async fn announce_all(context: &HookContext<'_>) -> Result<(), DbErr> {
    while announce(context).await? == CHANGES_AT_ONCE {}
    Ok(())
}

/// Adds the oldest changes to the queues of their receivers, and returns the number of changes.
async fn announce(context: &HookContext<'_>) -> Result<u64, DbErr> {
    let changes = content_changes::Entity::find()
        .order_by_asc(content_changes::Column::Id)
        .limit(CHANGES_AT_ONCE)
        .all(context.tx)
        .await?;
    if changes.is_empty() {
        return Ok(0);
    }
    let spaces: Vec<NodeId> = changes.iter().map(|change| change.space_id).collect();
    let subscribers = subscribers::of_spaces(context.tx, &spaces).await?;
    let authors: Vec<UserId> = changes.iter().filter_map(|change| change.author_id).collect();
    let authors = users::store::of_ids(context.tx, &authors).await?;
    let authors: HashMap<UserId, Value> = authors
        .into_iter()
        .map(|user| (user.id, json!(users::view::user(context.urls, user))))
        .collect();
    let deliveries = changes.iter().flat_map(|change| {
        let author = change.author_id.and_then(|author| authors.get(&author));
        let event = SpaceEvent {
            scope: CONTENT_SCOPE,
            name: "space_content_updated",
            webhook_type: CONTENT_UPDATED,
            space: change.space_id,
            members: json!({ "revisionId": change.revision_id, "updatedBy": Vec::from_iter(author) }),
            at: change.changed_at,
        };
        let mut deliveries = event.deliveries(context, &subscribers);
        for delivery in &mut deliveries {
            delivery.request_id.clone_from(&change.request_id);
        }
        deliveries
    });
    outbox::add(
        context.tx,
        context.ids,
        context.secrets,
        deliveries.collect(),
        context.now,
    )
    .await?;
    let announced = changes.iter().map(|change| change.id);
    content_changes::Entity::delete_many()
        .filter(content_changes::Column::Id.is_in(announced))
        .exec(context.tx)
        .await?;
    Ok(u64::try_from(changes.len()).unwrap_or(CHANGES_AT_ONCE))
}
