//! Integrations of sites. The server has none yet, so that every list of them is empty.

use openapi::{
    error::ApiError,
    models::{SiteIntegrationList, SiteIntegrationScript},
    operations::site_integrations::{ListSiteIntegrationsQuery, SiteIntegrationsApi},
};

use crate::areas::publishing::{Publishing, guard::SiteAccess};

impl SiteIntegrationsApi for Publishing {
    async fn list_site_integrations(
        &self,
        _: SiteAccess,
        _: ListSiteIntegrationsQuery,
    ) -> Result<SiteIntegrationList, ApiError> {
        Ok(SiteIntegrationList {
            next: None,
            count: Some(0),
            items: Vec::new(),
        })
    }

    async fn list_site_integration_scripts(&self, _: SiteAccess) -> Result<Vec<SiteIntegrationScript>, ApiError> {
        Ok(Vec::new())
    }
}
