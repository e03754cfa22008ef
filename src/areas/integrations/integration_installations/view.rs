//! Installations on the wire.

use std::collections::HashMap;

use entity::{
    ids::{NodeId, OrganizationId, SiteId},
    integrations::{
        self, content_installations,
        installations::{self, InstallationSelection},
    },
    library::nodes,
    organizations::members::MemberRole,
    publishing::sites,
};
use openapi::{
    error::ApiError,
    models::{
        self, InstalledSite, InstalledSpace, IntegrationContentInstallationUrls, IntegrationInstallation,
        IntegrationInstallationTarget, IntegrationInstallationUrls, IntegrationSiteInstallation,
        IntegrationSpaceInstallation, Site, Space,
    },
};
use platform::db::{count, positional};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryTrait};

use super::configuration;
use crate::{
    access::{
        rows::{NodeRow, SpaceRow},
        space_counts,
    },
    areas::{integrations::place::Place, library::spaces, publishing},
    kernel::{
        Kernel,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    installations::InstallationStatus as models::IntegrationInstallationStatus { Active, Pending }
    InstallationSelection = models::IntegrationInstallationSelection { All, Selected }
}

/// Those who are shown an installation on a space or a site administer the space or the site.
const LEVEL: Option<MemberRole> = Some(MemberRole::Admin);

/// Installations of one integration in the view of those who may change them. At most one query.
pub async fn installations(
    kernel: &Kernel,
    name: &str,
    rows: Vec<installations::Model>,
) -> Result<Vec<IntegrationInstallation>, ApiError> {
    let spaces = spaces_of(kernel, rows.iter()).await?;
    rows.iter().map(|row| view(kernel, name, row, &spaces)).collect()
}

/// Installations of several integrations.
pub async fn installations_of_all(
    kernel: &Kernel,
    rows: &[(integrations::Model, installations::Model)],
) -> Result<Vec<IntegrationInstallation>, ApiError> {
    let spaces = spaces_of(kernel, rows.iter().map(|(_, row)| row)).await?;
    let view = |(integration, row): &(integrations::Model, _)| view(kernel, &integration.name, row, &spaces);
    rows.iter().map(view).collect()
}

/// One installation.
pub async fn installation(
    kernel: &Kernel,
    name: &str,
    row: &installations::Model,
) -> Result<IntegrationInstallation, ApiError> {
    let spaces = spaces_of(kernel, [row].into_iter()).await?;
    view(kernel, name, row, &spaces)
}

/// The numbers of spaces of the organizations on whose spaces all of the installations work.
async fn spaces_of(
    kernel: &Kernel,
    rows: impl Iterator<Item = &installations::Model>,
) -> Result<HashMap<OrganizationId, u64>, ApiError> {
    let on_all = rows.filter(|row| row.space_selection == InstallationSelection::All);
    let organizations: Vec<OrganizationId> = on_all.map(|row| row.organization_id).collect();
    if organizations.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(space_counts::count_spaces_of(kernel.db.read(), organizations).await?)
}

fn view(
    kernel: &Kernel,
    name: &str,
    row: &installations::Model,
    spaces: &HashMap<OrganizationId, u64>,
) -> Result<IntegrationInstallation, ApiError> {
    let urls = &kernel.urls;
    let endpoint = urls.installation_endpoint(name, row.id);
    Ok(IntegrationInstallation {
        id: row.id.to_string(),
        status: row.status.to_wire(),
        space_selection: row.space_selection.to_wire(),
        site_selection: row.site_selection.to_wire(),
        spaces: match row.space_selection {
            InstallationSelection::All => spaces.get(&row.organization_id).copied().unwrap_or_default(),
            InstallationSelection::Selected => count(row.space_count),
        },
        configuration: configuration::open(kernel, row)?,
        created_at: time(row.created_at),
        updated_at: time(row.updated_at),
        urls: IntegrationInstallationUrls {
            location: urls.installation(name, row.id),
            app: urls.installation_page(name, row.id),
            public_endpoint: endpoint.clone(),
            public_content_endpoint: endpoint,
        },
        external_ids: serde_json::from_value(row.external_ids.clone())?,
        target: IntegrationInstallationTarget {
            organization: row.organization_id.to_string(),
        },
    })
}

/// Installations on spaces, with the spaces if they are `extended`. No query, or two.
pub async fn space_installations(
    kernel: &Kernel,
    name: &str,
    rows: Vec<content_installations::Model>,
    extended: bool,
) -> Result<Vec<IntegrationSpaceInstallation>, ApiError> {
    let mut spaces = match extended {
        true => load_spaces(kernel, &rows).await?,
        false => HashMap::new(),
    };
    let view = |row: &content_installations::Model| {
        let space = row.space_id?;
        let shown = match extended {
            true => InstalledSpace::Object(Box::new(spaces.remove(&space)?)),
            false => InstalledSpace::String(space.to_string()),
        };
        Some(space_installation(kernel, name, row, shown))
    };
    rows.iter().filter_map(view).collect()
}

/// An installation on a space.
pub fn space_installation(
    kernel: &Kernel,
    name: &str,
    row: &content_installations::Model,
    space: InstalledSpace,
) -> Result<IntegrationSpaceInstallation, ApiError> {
    Ok(IntegrationSpaceInstallation {
        integration: name.to_owned(),
        installation: row.installation_id.to_string(),
        status: row.status.to_wire(),
        configuration: configuration::open_at_place(kernel, row)?,
        external_ids: serde_json::from_value(row.external_ids.clone())?,
        urls: urls(kernel, name, row),
        space,
    })
}

/// Installations on sites, with the sites if they are `extended`. No query, or one.
pub async fn site_installations(
    kernel: &Kernel,
    name: &str,
    rows: Vec<content_installations::Model>,
    extended: bool,
) -> Result<Vec<IntegrationSiteInstallation>, ApiError> {
    let mut sites = match extended {
        true => load_sites(kernel, &rows).await?,
        false => HashMap::new(),
    };
    let view = |row: &content_installations::Model| {
        let site = row.site_id?;
        let shown = match extended {
            true => InstalledSite::Object(Box::new(sites.remove(&site)?)),
            false => InstalledSite::String(site.to_string()),
        };
        Some(site_installation(kernel, name, row, shown))
    };
    rows.iter().filter_map(view).collect()
}

/// An installation on a site.
pub fn site_installation(
    kernel: &Kernel,
    name: &str,
    row: &content_installations::Model,
    site: InstalledSite,
) -> Result<IntegrationSiteInstallation, ApiError> {
    Ok(IntegrationSiteInstallation {
        integration: name.to_owned(),
        installation: row.installation_id.to_string(),
        status: row.status.to_wire(),
        configuration: configuration::open_at_place(kernel, row)?,
        external_ids: serde_json::from_value(row.external_ids.clone())?,
        urls: urls(kernel, name, row),
        site,
    })
}

fn urls(kernel: &Kernel, name: &str, row: &content_installations::Model) -> IntegrationContentInstallationUrls {
    let (location, endpoint) = match Place::of(row) {
        Place::Space(space) => (
            kernel.urls.space_installation(name, row.installation_id, space),
            kernel
                .urls
                .space_installation_endpoint(name, row.installation_id, space),
        ),
        Place::Site(site) => (
            kernel.urls.site_installation(name, row.installation_id, site),
            kernel.urls.site_installation_endpoint(name, row.installation_id, site),
        ),
    };
    IntegrationContentInstallationUrls {
        location,
        public_endpoint: endpoint.clone(),
        public_content_endpoint: endpoint,
    }
}

async fn load_spaces(
    kernel: &Kernel,
    rows: &[content_installations::Model],
) -> Result<HashMap<NodeId, Space>, ApiError> {
    let ids = rows.iter().filter_map(|row| row.space_id);
    let these = nodes::Entity::find()
        .filter(nodes::Column::Id.is_in(ids))
        .filter(nodes::Column::DeletedAt.is_null());
    let found: Vec<SpaceRow> = positional::rows(kernel.db.read(), SpaceRow::of(these).as_query()).await?;
    let ids: Vec<NodeId> = found.iter().map(|row| row.node.id).collect();
    let views = spaces::view_all(kernel, found.into_iter().map(|row| (row, LEVEL)).collect()).await?;
    Ok(ids.into_iter().zip(views).collect())
}

async fn load_sites(kernel: &Kernel, rows: &[content_installations::Model]) -> Result<HashMap<SiteId, Site>, ApiError> {
    let ids = rows.iter().filter_map(|row| row.site_id);
    let found = sites::Entity::find()
        .filter(sites::Column::Id.is_in(ids))
        .all(kernel.db.read())
        .await?;
    let view = |row: &sites::Model| (row.id, publishing::sites::view::site(&kernel.urls, row, LEVEL));
    Ok(found.iter().map(view).collect())
}
