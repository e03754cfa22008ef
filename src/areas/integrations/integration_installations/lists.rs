//! Lists of installations.

use std::collections::HashMap;

use entity::{
    ids::IntegrationId,
    integrations::{
        self,
        content_installations::{self, Model},
        installations::{self, InstallationSelection},
    },
    library::nodes::{self, NodeKind},
    publishing::sites,
};
use openapi::{
    error::ApiError,
    list::Page,
    models::{
        InstalledIntegration, InstalledIntegrationTarget, InstalledIntegrationTargetFilter as TargetFilter,
        Integration, OrganizationInstallation,
    },
    operations::integration_installations::ListOrganizationIntegrationsStatusQuery,
};
use platform::db::{contains, rows};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select};
use serde::Serialize;

use super::{store, view, write_at_place::new_row};
use crate::{
    access::{Caller, OrganizationAccess, load_node, rows::SpaceRow},
    areas::{
        integrations::{
            Integrations,
            integrations::view::views,
            place::{Place, PlaceKind},
        },
        library::tree,
        publishing::structure::site,
    },
    kernel::{Kernel, lists::List, wire::ToWire},
};

/// The installations of an integration that a caller may change, the newest first.
pub async fn of_integration<S: Serialize>(
    kernel: &Kernel,
    list: List<'_, S>,
    caller: &Caller,
    integration: &integrations::Model,
    external_id: Option<&str>,
) -> Result<Page<openapi::models::IntegrationInstallation>, ApiError> {
    let visible = store::visible(caller, integration.id);
    let found = match external_id {
        Some(id) => store::with_external_id(visible, integration.id, id),
        None => visible,
    };
    let views = async |rows| view::installations(kernel, &integration.name, rows).await;
    list.load_descending(found, installations::Column::Id, |row| row.id, views)
        .await
}

/// The installations of an integration on single spaces or sites that a caller may change, the newest places first.
pub async fn of_integration_at<S: Serialize>(
    list: List<'_, S>,
    caller: &Caller,
    integration: &integrations::Model,
    kind: PlaceKind,
    external_id: Option<&str>,
) -> Result<Page<Model>, ApiError> {
    let visible = store::visible_at(caller, integration.id, kind);
    let found = match external_id {
        Some(id) => store::with_external_id_at(visible, integration.id, id),
        None => visible,
    };
    rows(list, found, kind).await
}

/// The spaces or the sites of an installation, the newest first.
pub async fn places<S: Serialize>(
    kernel: &Kernel,
    list: List<'_, S>,
    installed: (&integrations::Model, &installations::Model),
    kind: PlaceKind,
) -> Result<Page<Model>, ApiError> {
    let (integration, installation) = installed;
    let is_on_all =
        kind.selection(installation) == InstallationSelection::All && kind.is_allowed_by(integration.target);
    if !is_on_all {
        return rows(list, store::of_kind(installation.id, kind), kind).await;
    }
    let organization = installation.organization_id;
    match kind {
        PlaceKind::Space => {
            let entries = async |rows: Vec<nodes::Model>| {
                let places = rows.iter().map(|row| Place::Space(row.id)).collect();
                at_places(kernel, installed, places).await
            };
            let spaces = tree::store::not_deleted(organization, NodeKind::Space);
            list.load_descending(spaces, nodes::Column::Id, |row| row.id, entries)
                .await
        }
        PlaceKind::Site => {
            let entries = async |rows: Vec<sites::Model>| {
                let places = rows.iter().map(|row| Place::Site(row.id)).collect();
                at_places(kernel, installed, places).await
            };
            list.load_descending(site::of(organization), sites::Column::Id, |row| row.id, entries)
                .await
        }
    }
}

/// Rows in the order of their spaces or sites.
async fn rows<S: Serialize>(
    list: List<'_, S>,
    found: Select<content_installations::Entity>,
    kind: PlaceKind,
) -> Result<Page<Model>, ApiError> {
    let key = |row: &Model| Place::of(row).id();
    list.load_descending(found, kind.column(), key, async |rows| Ok(rows))
        .await
}

/// The installations on these spaces or sites, which are all selected: the rows that are there, and the defaults for the others.
async fn at_places(
    kernel: &Kernel,
    (integration, installation): (&integrations::Model, &installations::Model),
    places: Vec<Place>,
) -> Result<Vec<Model>, ApiError> {
    let mut rows = store::rows_at(kernel.db.read(), installation.id, &places).await?;
    let entry = |place: Place| match rows.remove(&place.installation_id(installation.id)) {
        Some(row) => Ok(row),
        None => new_row(kernel, integration, installation, place),
    };
    places.into_iter().map(entry).collect()
}

/// The installations on an organization with their integrations, the newest first.
pub async fn of_organization(
    kernel: &Kernel,
    access: &OrganizationAccess,
    page: Option<String>,
    limit: u32,
    search: Option<&str>,
) -> Result<Page<OrganizationInstallation>, ApiError> {
    let organization = access.organization;
    let list = List::new(
        kernel,
        ("organization-installations", organization, search),
        page,
        limit,
    );
    let mut found = store::of_organization(organization);
    if let Some(search) = search {
        let named = integrations::Entity::find()
            .select_only()
            .column(integrations::Column::Id)
            .filter(contains(
                (integrations::Entity, integrations::Column::SearchText),
                search,
            ));
        found = found.filter(installations::Column::IntegrationId.in_subquery(named.into_query()));
    }
    let items = async |rows| with_integrations(kernel, &access.caller, rows).await;
    list.load_descending(found, installations::Column::Id, |row| row.id, items)
        .await
}

/// The integrations that are installed on an organization, or of these those that work on its spaces or sites, or on one of them, with their
/// statuses, the newest installations first.
pub async fn statuses(
    integrations: &Integrations,
    access: &OrganizationAccess,
    query: ListOrganizationIntegrationsStatusQuery,
) -> Result<Page<InstalledIntegration>, ApiError> {
    let ListOrganizationIntegrationsStatusQuery {
        page,
        limit,
        target,
        space,
        site,
    } = query;
    let (kernel, organization) = (&integrations.kernel, access.organization);
    let scope = ("organization-statuses", organization, target, space, site);
    let list = List::new(kernel, scope, page, limit);
    let (mut found, target) = match target {
        TargetFilter::Organization => (
            store::of_organization(organization),
            InstalledIntegrationTarget::Organization,
        ),
        TargetFilter::Space => (
            store::of_organization_at(organization, PlaceKind::Space),
            InstalledIntegrationTarget::Space,
        ),
        TargetFilter::Site => (
            store::of_organization_at(organization, PlaceKind::Site),
            InstalledIntegrationTarget::Site,
        ),
    };
    if let Some(space) = space {
        let node = load_node::<SpaceRow>(&integrations.access, &access.caller, space).await?;
        let is_seen = node.is_some_and(|node| node.row.node.organization_id == organization);
        found = store::working_on(found, Place::Space(space), is_seen);
    }
    if let Some(site) = site {
        let exists = rows::is_any(
            kernel.db.read(),
            site::of(organization).filter(sites::Column::Id.eq(site)),
        )
        .await?;
        found = store::working_on(found, Place::Site(site), exists);
    }
    let items = async |rows| with_statuses(kernel, &access.caller, rows, target).await;
    list.load_descending(found, installations::Column::Id, |row| row.id, items)
        .await
}

async fn with_statuses(
    kernel: &Kernel,
    caller: &Caller,
    rows: Vec<installations::Model>,
    target: InstalledIntegrationTarget,
) -> Result<Vec<InstalledIntegration>, ApiError> {
    let found = integrations_of(kernel, &rows).await?;
    let names: HashMap<IntegrationId, String> = found.iter().map(|row| (row.id, row.name.clone())).collect();
    let views = views(kernel, caller, found).await?;
    let views: HashMap<String, Integration> = views.into_iter().map(|view| (view.name.clone(), view)).collect();
    let item = |row: installations::Model| {
        let name = names.get(&row.integration_id)?;
        Some(InstalledIntegration {
            status: row.status.to_wire(),
            integration: views.get(name)?.clone(),
            target,
        })
    };
    Ok(rows.into_iter().filter_map(item).collect())
}

async fn integrations_of(kernel: &Kernel, rows: &[installations::Model]) -> Result<Vec<integrations::Model>, ApiError> {
    let ids = rows.iter().map(|row| row.integration_id);
    let found = integrations::Entity::find().filter(integrations::Column::Id.is_in(ids));
    Ok(found.all(kernel.db.read()).await?)
}

async fn with_integrations(
    kernel: &Kernel,
    caller: &Caller,
    rows: Vec<installations::Model>,
) -> Result<Vec<OrganizationInstallation>, ApiError> {
    let found = integrations_of(kernel, &rows).await?;
    let installed: Vec<_> = rows
        .into_iter()
        .filter_map(|row| {
            let integration = found.iter().find(|integration| integration.id == row.integration_id)?;
            Some((integration.clone(), row))
        })
        .collect();
    let installations = view::installations_of_all(kernel, &installed).await?;
    let integrations = views(kernel, caller, found).await?;
    let integrations: HashMap<_, _> = integrations.into_iter().map(|view| (view.name.clone(), view)).collect();
    let pair = |((integration, _), installation): (&(integrations::Model, _), _)| {
        let integration = integrations.get(&integration.name).cloned()?;
        Some(OrganizationInstallation {
            installation,
            integration,
        })
    };
    Ok(installed.iter().zip(installations).filter_map(pair).collect())
}
