//! Hooks of this context: the events about changes by other contexts.

use std::collections::HashMap;

use entity::{
    ids::{ContentInstallationId, IntegrationInstallationId, NodeId, OrganizationId, SiteId},
    integrations::{content_installations, external_ids, installations},
    library::spaces,
};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::{
    error::ApiError,
    models::{ContentVisibility, IntegrationScope, WebhookEventType},
};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, SelectStatement},
};
use serde_json::json;

use super::{
    content_sources::ComputeContent,
    integration_installations::configuration,
    outbox::{self, NewDelivery, NewEvent},
    space_events::{self, SpaceEvent},
    subscribers, webhooks,
};
use crate::{
    areas::{joins::space_details, library::spaces::view::visibility},
    kernel::hooks::{ContentChange, ContextHooks, HookContext, HookEvent, SitePublishing, Visibilities},
};

pub struct IntegrationsHooks;

impl ContextHooks for IntegrationsHooks {
    fn content_changed<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        change: &'a ContentChange,
    ) -> BoxFuture<'a, Result<(), DbErr>> {
        async move {
            let subscribers = subscribers::of_spaces(context.tx, &[change.space]).await?;
            if subscribers.iter().any(|subscriber| subscriber.computes_content) {
                let job = (context.ids.next(), change.space);
                ComputeContent::enqueue(context.tx, vec![job], context.now).await?;
            }
            if !subscribers.iter().any(space_events::wants_content) {
                return Ok(());
            }
            space_events::record_change(context, *change).await
        }
        .boxed()
    }

    fn visibility_changes<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        organization: OrganizationId,
        spaces: &'a SelectStatement,
    ) -> BoxFuture<'a, Result<Visibilities, DbErr>> {
        async move {
            if !subscribers::exist(context.tx, organization).await? {
                return Ok(Vec::new());
            }
            load_visibilities(context, spaces::Column::Id.in_subquery(spaces.clone())).await
        }
        .boxed()
    }

    fn visibility_changed<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        before: &'a [(NodeId, ContentVisibility)],
    ) -> BoxFuture<'a, Result<(), DbErr>> {
        record_visibility_changes(context, before).boxed()
    }

    fn site_published<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        publishing: &'a SitePublishing,
    ) -> BoxFuture<'a, Result<(), DbErr>> {
        record_publishing(context, *publishing).boxed()
    }

    fn site_removed<'a>(&'a self, context: &'a HookContext<'a>, site: SiteId) -> BoxFuture<'a, Result<(), ApiError>> {
        async move { Ok(remove_installations(context, content_installations::Column::SiteId.eq(site)).await?) }.boxed()
    }

    fn spaces_leave<'a>(&'a self, context: &'a HookContext<'a>) -> BoxFuture<'a, Result<(), DbErr>> {
        // Pending changes belong to the receivers of the former organization.
        space_events::announce_all(context).boxed()
    }

    fn spaces_removed<'a>(
        &'a self,
        context: &'a HookContext<'a>,
        spaces: &'a SelectStatement,
    ) -> BoxFuture<'a, Result<Vec<HookEvent>, ApiError>> {
        async move {
            // Pending changes are queued while the installations on these spaces still exist.
            space_events::announce_all(context).await?;
            let of_spaces = content_installations::Column::SpaceId.in_subquery(spaces.clone());
            remove_installations(context, of_spaces).await?;
            Ok(Vec::new())
        }
        .boxed()
    }
}

/// Adds events to queues. Delivery ids define the order, so pending content changes get theirs first.
async fn record(context: &HookContext<'_>, deliveries: impl Iterator<Item = NewDelivery>) -> Result<(), DbErr> {
    space_events::announce_all(context).await?;
    outbox::add(
        context.tx,
        context.ids,
        context.secrets,
        deliveries.collect(),
        context.now,
    )
    .await
}

/// The visibilities of spaces as answers show them.
async fn load_visibilities(context: &HookContext<'_>, of: Expr) -> Result<Visibilities, DbErr> {
    let stored: Vec<(NodeId, spaces::ContentVisibility)> = spaces::Entity::find()
        .select_only()
        .columns([spaces::Column::Id, spaces::Column::Visibility])
        .filter(of)
        .into_tuple()
        .all(context.tx)
        .await?;
    let ids = stored.iter().map(|(space, _)| *space.as_uuid()).collect();
    let details = space_details::load(context.tx, ids).await?;
    let of_space = |(space, stored): (NodeId, spaces::ContentVisibility)| {
        let publication = details
            .get(space.as_uuid())
            .and_then(|details| details.publication.as_ref());
        (space, visibility(stored, publication))
    };
    Ok(stored.into_iter().map(of_space).collect())
}

async fn record_visibility_changes(
    context: &HookContext<'_>,
    before: &[(NodeId, ContentVisibility)],
) -> Result<(), DbErr> {
    let (scope, webhook_type) = (
        IntegrationScope::SpaceMetadataRead,
        WebhookEventType::SpaceVisibilityUpdated,
    );
    let ids = before.iter().map(|(space, _)| *space);
    let after = load_visibilities(context, spaces::Column::Id.is_in(ids)).await?;
    let earlier: HashMap<NodeId, ContentVisibility> = before.iter().copied().collect();
    let events: Vec<SpaceEvent> = after
        .into_iter()
        .filter_map(|(space, visibility)| {
            let previous = earlier.get(&space).filter(|previous| **previous != visibility)?;
            Some(SpaceEvent {
                scope,
                name: "space_visibility_updated",
                webhook_type,
                space,
                members: json!({ "previousVisibility": previous, "visibility": visibility }),
                at: context.now,
            })
        })
        .collect();
    if events.is_empty() {
        return Ok(());
    }
    let spaces: Vec<NodeId> = events.iter().map(|event| event.space).collect();
    let subscribers = subscribers::of_spaces(context.tx, &spaces).await?;
    let deliveries = events.iter().flat_map(|event| event.deliveries(context, &subscribers));
    record(context, deliveries).await
}

async fn record_publishing(context: &HookContext<'_>, publishing: SitePublishing) -> Result<(), DbErr> {
    let event_type = match publishing.published {
        true => WebhookEventType::SitePublished,
        false => WebhookEventType::SiteUnpublished,
    };
    let recipients = subscribers::webhooks_for(context.tx, publishing.organization, event_type).await?;
    let data = json!({ "siteId": publishing.site });
    let deliveries = recipients.into_iter().map(|webhook| {
        let id = context.ids.next();
        webhooks::delivery(id, webhook, event_type, data.clone(), context.now)
    });
    record(context, deliveries).await
}

/// Ends the installations on spaces or sites that are removed, and tells the integrations so.
async fn remove_installations(context: &HookContext<'_>, removed: Expr) -> Result<(), DbErr> {
    let rows = content_installations::Entity::find()
        .filter(removed)
        .all(context.tx)
        .await?;
    if rows.is_empty() {
        return Ok(());
    }
    let ids: Vec<ContentInstallationId> = rows.iter().map(|row| row.id).collect();
    external_ids::Entity::delete_many()
        .filter(external_ids::Column::ContentInstallationId.is_in(ids.iter().copied()))
        .exec(context.tx)
        .await?;
    content_installations::Entity::delete_many()
        .filter(content_installations::Column::Id.is_in(ids))
        .exec(context.tx)
        .await?;
    let mut spaces: HashMap<IntegrationInstallationId, i32> = HashMap::new();
    for row in rows.iter().filter(|row| row.space_id.is_some()) {
        *spaces.entry(row.installation_id).or_default() += 1;
    }
    for (installation, count) in spaces {
        let column = installations::Column::SpaceCount;
        installations::Entity::update_many()
            .col_expr(column, Expr::col(column).sub(count))
            .filter(installations::Column::Id.eq(installation))
            .exec(context.tx)
            .await?;
    }
    let deliveries = rows.iter().map(|row| deletion(context, row));
    record(context, deliveries).await
}

fn deletion(context: &HookContext<'_>, row: &content_installations::Model) -> NewDelivery {
    let (name, member, id) = match row.site_id {
        Some(site) => ("site_installation_deleted", "siteId", json!(site)),
        None => ("space_installation_deleted", "spaceId", json!(row.space_id)),
    };
    // A change of the secret key of the server does not keep a space from being deleted.
    let configuration = configuration::open_with(context.secrets, row).unwrap_or_default();
    let payload = json!({
        "type": name,
        "installationId": row.installation_id,
        member: id,
        "previous": { "configuration": configuration },
    });
    let event = NewEvent {
        integration: row.integration_id,
        installation: Some(row.installation_id),
        payload,
        due: context.now,
    };
    outbox::integration_event(context.ids.next(), event)
}
