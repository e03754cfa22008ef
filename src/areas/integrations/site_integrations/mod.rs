//! Integrations of sites, and the scripts that they add to pages.

mod scripts;

use openapi::{
    error::ApiError,
    models::{IntegrationList, SiteIntegrationScript},
    operations::site_integrations::{ListSiteIntegrationsQuery, SiteIntegrationsApi},
};

pub use self::scripts::InstalledScripts;

use crate::areas::{
    integrations::{Integrations, integration_installations::installed, place::Place},
    publishing::guard::SiteAccess,
};

impl SiteIntegrationsApi for Integrations {
    async fn list_site_integrations(
        &self,
        access: SiteAccess,
        query: ListSiteIntegrationsQuery,
    ) -> Result<IntegrationList, ApiError> {
        let at = (access.row.organization_id, Place::Site(access.row.id));
        installed::list(&self.kernel, &access.caller, at, query.search.as_deref()).await
    }

    async fn list_site_integration_scripts(&self, access: SiteAccess) -> Result<Vec<SiteIntegrationScript>, ApiError> {
        scripts::list(&self.kernel, access.row.organization_id, access.row.id).await
    }
}
