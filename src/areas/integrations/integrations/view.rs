//! Integrations on the wire.

use std::collections::BTreeSet;

use entity::integrations::{self, Model};
use openapi::{
    error::ApiError,
    models::{self, Integration, IntegrationPermissions, IntegrationUrls, Organization},
};

use super::manifest::Manifest;

use crate::{
    access::Caller,
    areas::organizations::organizations,
    kernel::{
        Kernel,
        wire::{ToWire, wire_enums},
    },
};

wire_enums! {
    integrations::IntegrationTarget = models::IntegrationTarget { All, Site, Space, Organization }
    integrations::IntegrationVisibility = models::IntegrationVisibility { Public, Private, Unlisted }
    models::IntegrationRuntime => integrations::IntegrationRuntime { V1, V2 }
}

/// The wire form of an integration; `owner` as the caller sees it.
pub fn view(kernel: &Kernel, row: Model, owner: Organization) -> Result<Integration, ApiError> {
    let manifest: Manifest = serde_json::from_value(row.manifest)?;
    let (urls, name) = (&kernel.urls, row.name.as_str());
    let assets = urls.integration_assets(name);
    let image = |file: String| format!("{assets}{file}");
    let previews: Vec<String> = serde_json::from_value(row.preview_images)?;
    Ok(Integration {
        object: Default::default(),
        version: u64::try_from(row.version).unwrap_or_default(),
        title: row.title,
        description: row.description,
        summary: row.summary,
        preview_images: previews.into_iter().map(image).collect(),
        target: row.target.to_wire(),
        verified: row.verified,
        visibility: row.visibility.to_wire(),
        scopes: serde_json::from_value(row.scopes)?,
        categories: serde_json::from_value(row.categories)?,
        blocks: Some(manifest.blocks),
        content_sources: Some(manifest.content_sources),
        configurations: manifest.configurations,
        external_links: manifest.external_links,
        permissions: IntegrationPermissions {
            admin: owner.permissions.admin,
        },
        owner,
        urls: IntegrationUrls {
            location: urls.integration(name),
            icon: row.icon.map(image),
            app: urls.integration_page(name),
            public_endpoint: urls.integration_endpoint(name),
            public_content_endpoint: urls.integration_endpoint(name),
            assets,
        },
        content_security_policy: manifest.content_security_policy,
        name: row.name,
    })
}

/// The wire forms of integrations, with a constant number of queries for their owners.
pub async fn views(kernel: &Kernel, caller: &Caller, rows: Vec<Model>) -> Result<Vec<Integration>, ApiError> {
    let owners: BTreeSet<_> = rows.iter().map(|row| row.organization_id).collect();
    let owners: Vec<_> = owners.into_iter().collect();
    let owners = organizations::all_shown_to(kernel, caller, &owners).await?;
    let view = |row: Model| {
        let owner = owners.get(&row.organization_id).cloned();
        // A row cannot be without its owner, but both are read at different times.
        owner.map(|owner| view(kernel, row, owner))
    };
    rows.into_iter().filter_map(view).collect()
}
