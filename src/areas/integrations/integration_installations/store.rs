//! Installations in the database.

use std::collections::HashMap;

use entity::{
    content::computed_contents,
    ids::{ContentInstallationId, IntegrationId, IntegrationInstallationId, NodeId, OrganizationId},
    integrations::{
        self, content_installations, external_ids,
        installations::{Column, Entity, InstallationSelection, InstallationStatus, Model},
    },
    library::nodes::{self, NodeKind},
    organizations::members::{self, MemberRole},
};
use openapi::error::ApiError;
use platform::db::{ReadRows, Tx, positional, rows};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select, Set,
    sea_query::{Expr, ExprTrait, Query},
};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    access::Caller,
    areas::{
        integrations::{
            installation_access::unknown,
            place::{Place, PlaceKind},
        },
        library::tree,
        organizations::organizations,
        publishing::structure::site,
    },
};

/// The most integrations of a space or a site that are looked at.
const MAX_INSTALLED: u64 = 1_000;

/// The installations on an organization.
pub fn of_organization(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// The installations on an organization that work on at least one space, or on at least one site.
pub fn of_organization_at(organization: OrganizationId, kind: PlaceKind) -> Select<Entity> {
    let selected = Query::select()
        .expr(Expr::value(1))
        .from(content_installations::Entity)
        .and_where(
            Expr::col((
                content_installations::Entity,
                content_installations::Column::InstallationId,
            ))
            .equals((Entity, Column::Id)),
        )
        .and_where(Expr::col((content_installations::Entity, kind.column())).is_not_null())
        .take();
    let works = Condition::any()
        .add(kind.selection_column().eq(InstallationSelection::All))
        .add(Expr::exists(selected));
    of_organization(organization).filter(works)
}

/// Of installations on one organization those that work on a space or site. `exists`: it is one of the organization, which the caller sees.
pub fn working_on(installations: Select<Entity>, place: Place, exists: bool) -> Select<Entity> {
    let of_targets = integrations::Entity::find()
        .select_only()
        .column(integrations::Column::Id)
        .filter(integrations::Column::Target.is_in(place.kind().targets()));
    installations
        .filter(Column::IntegrationId.in_subquery(of_targets.into_query()))
        .filter(selected_on(place))
        .filter(Expr::value(exists))
}

/// The installation of an integration on an organization.
pub async fn find_on(
    db: &impl ConnectionTrait,
    integration: IntegrationId,
    organization: OrganizationId,
) -> Result<Option<Model>, DbErr> {
    let found = of_organization(organization).filter(Column::IntegrationId.eq(integration));
    found.one(db).await
}

/// The installation as it is inside the write transaction, in which no other one changes it or its places.
pub async fn lock(tx: &Tx, installation: IntegrationInstallationId) -> Result<Model, ApiError> {
    let found = Entity::find_by_id(installation).lock_exclusive().one(tx).await?;
    found.ok_or_else(unknown)
}

/// The installations that a caller may change: those of the integration for itself, its own for an installation, and for people those on
/// organizations of which they are admins.
pub fn visible(caller: &Caller, integration: IntegrationId) -> Select<Entity> {
    let installations = Entity::find().filter(Column::IntegrationId.eq(integration));
    if caller.integration() == Some(integration) {
        return installations;
    }
    if let Some(installation) = caller.installation() {
        return installations.filter(Column::Id.eq(installation.id));
    }
    let administered = organizations::store::memberships(caller)
        .select_only()
        .column(members::Column::OrganizationId)
        .filter(members::Column::Role.eq(MemberRole::Admin));
    installations.filter(Column::OrganizationId.in_subquery(administered.into_query()))
}

/// Narrows installations down to those with an external id.
pub fn with_external_id(installations: Select<Entity>, integration: IntegrationId, id: &str) -> Select<Entity> {
    let found = external_ids_of(integration, id)
        .column(external_ids::Column::InstallationId)
        .filter(external_ids::Column::ContentInstallationId.eq(none()));
    installations.filter(Column::Id.in_subquery(found.into_query()))
}

/// The installations on single spaces or sites that a caller may change.
pub fn visible_at(
    caller: &Caller,
    integration: IntegrationId,
    kind: PlaceKind,
) -> Select<content_installations::Entity> {
    use content_installations::{Column, Entity};
    let rows = Entity::find()
        .filter(Column::IntegrationId.eq(integration))
        .filter(kind.column().is_not_null());
    if caller.integration() == Some(integration) {
        return rows;
    }
    let visible = visible(caller, integration).select_only().column(self::Column::Id);
    rows.filter(Column::InstallationId.in_subquery(visible.into_query()))
}

/// Narrows installations on single spaces or sites down to those with an external id.
pub fn with_external_id_at(
    rows: Select<content_installations::Entity>,
    integration: IntegrationId,
    id: &str,
) -> Select<content_installations::Entity> {
    let found = external_ids_of(integration, id).column(external_ids::Column::ContentInstallationId);
    rows.filter(content_installations::Column::Id.in_subquery(found.into_query()))
}

fn external_ids_of(integration: IntegrationId, id: &str) -> Select<external_ids::Entity> {
    // PostgreSQL refuses texts with NUL, which no id has.
    external_ids::Entity::find()
        .select_only()
        .filter(external_ids::Column::IntegrationId.eq(integration))
        .filter(external_ids::Column::ExternalId.eq(id.replace('\0', "?")))
}

/// Stands for the installation on the organization among the external ids.
fn none() -> ContentInstallationId {
    ContentInstallationId::from_uuid(Uuid::nil())
}

/// Replaces the external ids by which an installation is found. `at`: the installation on a space or a site.
pub async fn put_external_ids(
    tx: &Tx,
    installation: &Model,
    at: Option<ContentInstallationId>,
    ids: &[String],
) -> Result<(), DbErr> {
    let at = at.unwrap_or_else(none);
    remove_external_ids(tx, installation.id, at).await?;
    if ids.is_empty() {
        return Ok(());
    }
    let rows = ids.iter().map(|id| external_ids::ActiveModel {
        integration_id: Set(installation.integration_id),
        external_id: Set(id.clone()),
        installation_id: Set(installation.id),
        content_installation_id: Set(at),
    });
    external_ids::Entity::insert_many(rows)
        .exec_without_returning(tx)
        .await?;
    Ok(())
}

async fn remove_external_ids(
    tx: &Tx,
    installation: IntegrationInstallationId,
    at: ContentInstallationId,
) -> Result<(), DbErr> {
    external_ids::Entity::delete_many()
        .filter(external_ids::Column::InstallationId.eq(installation))
        .filter(external_ids::Column::ContentInstallationId.eq(at))
        .exec(tx)
        .await?;
    Ok(())
}

/// The row of an installation on a space or a site.
pub async fn find_at(
    db: &impl ConnectionTrait,
    installation: IntegrationInstallationId,
    place: Place,
) -> Result<Option<content_installations::Model>, DbErr> {
    content_installations::Entity::find_by_id(place.installation_id(installation))
        .one(db)
        .await
}

/// The rows of an installation on several spaces or sites.
pub async fn rows_at(
    db: &impl ConnectionTrait,
    installation: IntegrationInstallationId,
    places: &[Place],
) -> Result<HashMap<ContentInstallationId, content_installations::Model>, DbErr> {
    let ids = places.iter().map(|place| place.installation_id(installation));
    let rows = content_installations::Entity::find()
        .filter(content_installations::Column::Id.is_in(ids))
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// The rows of an installation on spaces, or on sites.
pub fn of_kind(installation: IntegrationInstallationId, kind: PlaceKind) -> Select<content_installations::Entity> {
    content_installations::Entity::find()
        .filter(content_installations::Column::InstallationId.eq(installation))
        .filter(kind.column().is_not_null())
}

/// Inserts the row of an installation on a space or a site. The installation is locked.
pub async fn insert_at(tx: &Tx, row: &content_installations::Model) -> Result<(), DbErr> {
    rows::insert(tx, row).await?;
    count(tx, row, 1).await
}

/// Deletes the row of an installation on a space or a site. The installation is locked.
pub async fn remove_at(tx: &Tx, row: &content_installations::Model) -> Result<(), DbErr> {
    remove_external_ids(tx, row.installation_id, row.id).await?;
    content_installations::Entity::delete_by_id(row.id).exec(tx).await?;
    count(tx, row, -1).await
}

/// Changes the kept number of spaces.
async fn count(tx: &Tx, row: &content_installations::Model, by: i32) -> Result<(), DbErr> {
    if row.space_id.is_none() {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::SpaceCount, Expr::col(Column::SpaceCount).add(by))
        .filter(Column::Id.eq(row.installation_id))
        .exec(tx)
        .await?;
    Ok(())
}

/// Requires that the space or the site is still in the organization, in the write transaction in which no other one deletes it.
pub async fn require_place(tx: &Tx, organization: OrganizationId, place: Place) -> Result<(), ApiError> {
    match place {
        Place::Space(space) => {
            let found = tree::store::not_deleted(organization, NodeKind::Space)
                .filter(nodes::Column::Id.eq(space))
                .lock_exclusive()
                .one(tx)
                .await?;
            found.map(drop).ok_or_else(|| ApiError::not_found("space"))
        }
        Place::Site(id) => site::lock(tx, organization, id).await.map(drop),
    }
}

/// The installations that work on a space or a site, with their integrations, the newest first.
pub async fn installed_on(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    place: Place,
) -> Result<Vec<(integrations::Model, Model)>, DbErr> {
    let found = of_organization(organization)
        .find_also_related(integrations::Entity)
        .filter(works_on(place))
        .order_by_desc(Column::Id)
        .limit(MAX_INSTALLED)
        .all(db)
        .await?;
    let with_integration = |(installation, integration): (Model, Option<_>)| Some((integration?, installation));
    Ok(found.into_iter().filter_map(with_integration).collect())
}

/// The names and manifests of the active integrations of a space that have blocks, the newest installations first. One query.
pub async fn manifests_with_blocks(db: &impl ReadRows, space: NodeId) -> Result<Vec<(String, Value)>, DbErr> {
    let query = active_on(space)
        .select_only()
        .columns([integrations::Column::Name, integrations::Column::Manifest])
        .filter(integrations::Column::HasBlocks.eq(true))
        .order_by_desc(Column::Id)
        .limit(MAX_INSTALLED);
    positional::tuples(db, query.as_query()).await
}

/// The manifest of an integration with content sources, if the integration is active on a space of an organization.
pub async fn manifest_with_sources(
    db: &impl ReadRows,
    organization: OrganizationId,
    space: NodeId,
    integration: &str,
) -> Result<Option<Value>, DbErr> {
    let query = active()
        .filter(Column::OrganizationId.eq(organization))
        .filter(works_on(Place::Space(space)))
        .select_only()
        .column(integrations::Column::Manifest)
        .filter(integrations::Column::HasContentSources.eq(true))
        .filter(integrations::Column::Name.eq(integration));
    let found: Vec<(Value,)> = positional::tuples(db, query.as_query()).await?;
    Ok(found.into_iter().next().map(|(manifest,)| manifest))
}

/// The spaces after one, in the order of their ids, on which an active integration with content sources works, or that have pages of
/// one that has worked there.
pub async fn spaces_with_sources(
    db: &impl ConnectionTrait,
    after: Option<NodeId>,
    limit: u64,
) -> Result<Vec<NodeId>, DbErr> {
    let with_sources = || {
        active()
            .filter(integrations::Column::HasContentSources.eq(true))
            .filter(integrations::Column::Target.is_in(PlaceKind::Space.targets()))
            .select_only()
    };
    let everywhere = with_sources()
        .column(Column::OrganizationId)
        .filter(Column::SpaceSelection.eq(InstallationSelection::All));
    let selected = content_installations::Entity::find()
        .select_only()
        .column(content_installations::Column::SpaceId)
        .filter(content_installations::Column::SpaceId.is_not_null())
        .filter(
            content_installations::Column::InstallationId.in_subquery(with_sources().column(Column::Id).into_query()),
        );
    let with_pages = computed_contents::Entity::find()
        .select_only()
        .column(computed_contents::Column::SpaceId);
    let is_concerned = Condition::any()
        .add(nodes::Column::OrganizationId.in_subquery(everywhere.into_query()))
        .add(nodes::Column::Id.in_subquery(selected.into_query()))
        .add(nodes::Column::Id.in_subquery(with_pages.into_query()));
    let mut found = nodes::Entity::find()
        .select_only()
        .column(nodes::Column::Id)
        .filter(nodes::Column::Kind.eq(NodeKind::Space))
        .filter(nodes::Column::DeletedAt.is_null())
        .filter(is_concerned)
        .order_by_asc(nodes::Column::Id)
        .limit(limit);
    if let Some(after) = after {
        found = found.filter(nodes::Column::Id.gt(after));
    }
    found.into_tuple().all(db).await
}

/// The active installations that work on a space, joined with their integrations.
fn active_on(space: NodeId) -> Select<Entity> {
    let organization = nodes::Entity::find_by_id(space)
        .select_only()
        .column(nodes::Column::OrganizationId);
    active()
        .filter(Column::OrganizationId.in_subquery(organization.into_query()))
        .filter(works_on(Place::Space(space)))
}

/// The active installations, joined with their integrations.
fn active() -> Select<Entity> {
    Entity::find()
        .inner_join(integrations::Entity)
        .filter(Column::Status.eq(InstallationStatus::Active))
}

/// The installations, joined with their integrations, that work on a space or a site of their organization.
fn works_on(place: Place) -> Condition {
    Condition::all()
        .add(integrations::Column::Target.is_in(place.kind().targets()))
        .add(selected_on(place))
}

/// The installations that are selected for a space or a site of their organization.
fn selected_on(place: Place) -> Condition {
    let kind = place.kind();
    let selected = content_installations::Entity::find()
        .select_only()
        .column(content_installations::Column::InstallationId)
        .filter(kind.column().eq(place.id()));
    Condition::any()
        .add(kind.selection_column().eq(InstallationSelection::All))
        .add(Column::Id.in_subquery(selected.into_query()))
}
