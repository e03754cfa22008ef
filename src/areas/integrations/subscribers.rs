//! The receivers of events about spaces and sites.

use entity::{
    ids::{IntegrationId, IntegrationInstallationId, NodeId, OrganizationId, SiteId, WebhookId},
    integrations::{
        self, content_installations,
        installations::{self, InstallationSelection, InstallationStatus},
        webhooks,
    },
    library::nodes,
    publishing::sites,
};
use openapi::{
    enums::Enumeration,
    models::{IntegrationScope, WebhookEventType},
};
use platform::db::Tx;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, JoinType, JsonValue, QueryFilter,
    sea_query::{Expr, ExprTrait, Order, Query, SelectStatement, UnionType},
};
use uuid::Uuid;

use super::{outbox::Recipient, place::PlaceKind};

/// A receiver of events about a space or a site.
pub struct Subscriber {
    /// The id of the space or site.
    pub place: Uuid,
    pub recipient: Recipient,
    /// The integration has content sources.
    pub computes_content: bool,
    /// The approved scopes of an installation, or the event types of a webhook.
    wanted: JsonValue,
}

#[derive(FromQueryResult)]
struct SubscriberRow {
    place: Uuid,
    integration: Option<IntegrationId>,
    recipient: Uuid,
    wanted: JsonValue,
    computes_content: bool,
}

impl Subscriber {
    /// Returns whether the receiver may know of the event, and wants to.
    pub fn wants(&self, scope: IntegrationScope, event_type: WebhookEventType) -> bool {
        let name = match self.recipient {
            Recipient::Webhook(_) => event_type.as_str(),
            Recipient::Integration(_) | Recipient::Installation(..) | Recipient::Visitors(..) => scope.as_str(),
        };
        lists(&self.wanted, name)
    }

    /// Returns whether an installation has an approved scope.
    pub fn has_scope(&self, scope: IntegrationScope) -> bool {
        lists(&self.wanted, scope.as_str())
    }
}

impl From<SubscriberRow> for Subscriber {
    fn from(row: SubscriberRow) -> Self {
        let id = row.recipient;
        Self {
            place: row.place,
            recipient: match row.integration {
                Some(integration) => Recipient::Installation(integration, IntegrationInstallationId::from_uuid(id)),
                None => Recipient::Webhook(WebhookId::from_uuid(id)),
            },
            computes_content: row.computes_content,
            wanted: row.wanted,
        }
    }
}

fn lists(names: &JsonValue, name: &str) -> bool {
    names
        .as_array()
        .is_some_and(|names| names.iter().any(|listed| listed == name))
}

/// The active installations on spaces and the webhooks of their organization, by one query.
pub async fn of_spaces(tx: &Tx, spaces: &[NodeId]) -> Result<Vec<Subscriber>, DbErr> {
    let ids = spaces.iter().map(|space| *space.as_uuid());
    let mut installed = installed_on(PlaceKind::Space, ids);
    load(tx, installed.union(UnionType::All, webhooks_of(spaces))).await
}

/// The active installations on a site, the oldest first, by one query.
pub async fn of_site(db: &impl ConnectionTrait, site: SiteId) -> Result<Vec<Subscriber>, DbErr> {
    let mut installed = installed_on(PlaceKind::Site, [*site.as_uuid()]);
    installed.order_by((installations::Entity, installations::Column::Id), Order::Asc);
    load(db, &installed).await
}

async fn load(db: &impl ConnectionTrait, query: &SelectStatement) -> Result<Vec<Subscriber>, DbErr> {
    let query = db.get_database_backend().build(query);
    let rows = SubscriberRow::find_by_statement(query).all(db).await?;
    Ok(rows.into_iter().map(Subscriber::from).collect())
}

/// The table of the spaces or sites in a query.
const PLACE: &str = "place";

/// An installation is on all spaces of its organization or on selected ones; its status on a space counts if it has one. The same holds for
/// sites.
fn installed_on(kind: PlaceKind, places: impl IntoIterator<Item = Uuid>) -> SelectStatement {
    let installation = |column| Expr::col((installations::Entity, column));
    let on_place = |column| Expr::col((content_installations::Entity, column));
    let of_organization = installation(installations::Column::OrganizationId).equals((PLACE, "organization_id"));
    let integration = |column| Expr::col((integrations::Entity, column));
    let of_integration = integration(integrations::Column::Id)
        .equals((installations::Entity, installations::Column::IntegrationId))
        .and(integration(integrations::Column::Target).is_in(kind.targets()));
    let of_place = on_place(content_installations::Column::InstallationId)
        .equals((installations::Entity, installations::Column::Id))
        .and(on_place(kind.column()).equals((PLACE, "id")));
    let everywhere = on_place(content_installations::Column::Id)
        .is_null()
        .and(installation(kind.selection_column()).eq(InstallationSelection::All))
        .and(integration(kind.unconfigured_column()).eq(true));
    let active = on_place(content_installations::Column::Status).eq(InstallationStatus::Active);
    let mut query = Query::select();
    match kind {
        PlaceKind::Space => query.from_as(nodes::Entity, PLACE),
        PlaceKind::Site => query.from_as(sites::Entity, PLACE),
    };
    query
        .expr_as(Expr::col((PLACE, "id")), "place")
        .expr_as(installation(installations::Column::IntegrationId), "integration")
        .expr_as(installation(installations::Column::Id), "recipient")
        .expr_as(installation(installations::Column::ApprovedScopes), "wanted")
        .expr_as(integration(integrations::Column::HasContentSources), "computes_content")
        .join(JoinType::InnerJoin, installations::Entity, of_organization)
        .join(JoinType::InnerJoin, integrations::Entity, of_integration)
        .join(JoinType::LeftJoin, content_installations::Entity, of_place)
        .and_where(Expr::col((PLACE, "id")).is_in(places))
        .and_where(installation(installations::Column::Status).eq(InstallationStatus::Active))
        .and_where(active.or(everywhere))
        .take()
}

fn webhooks_of(spaces: &[NodeId]) -> SelectStatement {
    let webhook = |column| Expr::col((webhooks::Entity, column));
    let of_organization =
        webhook(webhooks::Column::OrganizationId).equals((nodes::Entity, nodes::Column::OrganizationId));
    Query::select()
        .expr_as(Expr::col((nodes::Entity, nodes::Column::Id)), "place")
        .expr_as(Expr::value(None::<Uuid>), "integration")
        .expr_as(webhook(webhooks::Column::Id), "recipient")
        .expr_as(webhook(webhooks::Column::EventTypes), "wanted")
        .expr_as(Expr::value(false), "computes_content")
        .from(nodes::Entity)
        .join(JoinType::InnerJoin, webhooks::Entity, of_organization)
        .and_where(Expr::col((nodes::Entity, nodes::Column::Id)).is_in(spaces.iter().copied()))
        .and_where(webhook(webhooks::Column::Enabled).eq(true))
        .take()
}

/// Returns whether an organization has an active installation or a webhook.
pub async fn exist(tx: &Tx, organization: OrganizationId) -> Result<bool, DbErr> {
    let installed = Query::select()
        .expr(Expr::value(1))
        .from(installations::Entity)
        .and_where(Expr::col(installations::Column::OrganizationId).eq(organization))
        .and_where(Expr::col(installations::Column::Status).eq(InstallationStatus::Active))
        .take();
    let hooked = Query::select()
        .expr(Expr::value(1))
        .from(webhooks::Entity)
        .and_where(Expr::col(webhooks::Column::OrganizationId).eq(organization))
        .and_where(Expr::col(webhooks::Column::Enabled).eq(true))
        .take();
    let any = Condition::any().add(Expr::exists(installed)).add(Expr::exists(hooked));
    let query = Query::select().expr_as(Expr::value(1), "one").cond_where(any).take();
    let found = tx.query_one_raw(tx.get_database_backend().build(&query)).await?;
    Ok(found.is_some())
}

/// The webhooks of an organization that want events of a type.
pub async fn webhooks_for(
    tx: &Tx,
    organization: OrganizationId,
    event_type: WebhookEventType,
) -> Result<Vec<WebhookId>, DbErr> {
    let found = webhooks::Entity::find()
        .filter(webhooks::Column::OrganizationId.eq(organization))
        .filter(webhooks::Column::Enabled.eq(true))
        .all(tx)
        .await?;
    let wanting = found
        .into_iter()
        .filter(|row| lists(&row.event_types, event_type.as_str()));
    Ok(wanting.map(|row| row.id).collect())
}
