//! The scripts that the pages of a site load.

use entity::publishing::sites;
use futures_util::future::BoxFuture;
use openapi::{error::ApiError, models::SiteIntegrationScript};

/// Finds the scripts of sites. The context of integrations implements it, which this one does not know.
pub trait SiteScripts: Send + Sync {
    fn list<'a>(&'a self, site: &'a sites::Model) -> BoxFuture<'a, Result<Vec<SiteIntegrationScript>, ApiError>>;
}
