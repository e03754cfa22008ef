//! The scripts that integrations add to the pages of sites.

use entity::{
    base32,
    ids::{OrganizationId, SiteId},
    integrations::{
        self, content_installations,
        installations::{self, InstallationStatus},
    },
    publishing::sites,
};
use futures_util::future::{BoxFuture, FutureExt};
use openapi::{
    enums::Enumeration,
    error::ApiError,
    models::{IntegrationScope, SiteIntegrationScript},
};
use platform::secrets::signature;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::{
    areas::{
        integrations::{
            integration_installations::{configuration, store, write_at_place::new_row},
            integrations::{content_security_policy::header, manifest::Manifest},
            place::Place,
        },
        publishing::site_scripts::SiteScripts,
    },
    kernel::Kernel,
};

/// Characters of the version in an address.
const VERSION_LENGTH: usize = 16;

/// The scripts of sites for the context of sites, which does not know integrations.
pub struct InstalledScripts(pub Kernel);

impl SiteScripts for InstalledScripts {
    fn list<'a>(&'a self, site: &'a sites::Model) -> BoxFuture<'a, Result<Vec<SiteIntegrationScript>, ApiError>> {
        list(&self.0, site.organization_id, site.id).boxed()
    }
}

/// The scripts of a site, those of the newest installations first. Two queries.
pub async fn list(
    kernel: &Kernel,
    organization: OrganizationId,
    site: SiteId,
) -> Result<Vec<SiteIntegrationScript>, ApiError> {
    let (db, place) = (kernel.db.read(), Place::Site(site));
    let mut installed = store::installed_on(db, organization, place).await?;
    installed.retain(|(_, installation)| {
        installation.status == InstallationStatus::Active && has_scope(installation, IntegrationScope::SiteScriptInject)
    });
    if installed.is_empty() {
        return Ok(Vec::new());
    }
    let rows = content_installations::Entity::find()
        .filter(content_installations::Column::SiteId.eq(site))
        .all(db)
        .await?;
    let mut scripts = Vec::new();
    for (integration, installation) in installed {
        let row = match rows.iter().find(|row| row.installation_id == installation.id) {
            Some(row) => row.clone(),
            None => new_row(kernel, &integration, &installation, place)?,
        };
        if row.status == InstallationStatus::Active {
            scripts.push(script(kernel, integration, &installation, (site, row))?);
        }
    }
    Ok(scripts)
}

fn script(
    kernel: &Kernel,
    integration: integrations::Model,
    installation: &installations::Model,
    (site, row): (SiteId, content_installations::Model),
) -> Result<SiteIntegrationScript, ApiError> {
    let version = version(kernel, integration.version, installation, &row)?;
    let endpoint = kernel
        .urls
        .site_installation_endpoint(&integration.name, installation.id, site);
    let manifest: Manifest = serde_json::from_value(integration.manifest)?;
    let policy = manifest.content_security_policy.as_ref().map(header).transpose()?;
    Ok(SiteIntegrationScript {
        script: format!("{endpoint}/script.js?v={version}"),
        content_security_policy: policy,
        cookies: has_scope(installation, IntegrationScope::SiteScriptCookies),
    })
}

/// What changes with the version of the integration and with the configurations, and does not tell them.
fn version(
    kernel: &Kernel,
    version: i32,
    installation: &installations::Model,
    row: &content_installations::Model,
) -> Result<String, ApiError> {
    let configurations = [
        configuration::open(kernel, installation)?,
        configuration::open_at_place(kernel, row)?,
    ];
    let key = kernel.secrets.derive("versions of integration scripts");
    let signed = base32::encode(&signature(key, &serde_json::to_string(&configurations)?));
    let signed: String = signed.chars().take(VERSION_LENGTH).collect();
    Ok(format!("{version}-{signed}"))
}

fn has_scope(installation: &installations::Model, scope: IntegrationScope) -> bool {
    let mut approved = installation.approved_scopes.as_array().into_iter().flatten();
    approved.any(|approved| approved.as_str() == Some(scope.as_str()))
}
