//! The site that a new organization starts with. Organizations are created in an area that knows neither spaces nor sites,
//! so that a higher context implements [`DefaultSites`].

use std::sync::Arc;

use entity::ids::SiteId;
use futures_util::future::BoxFuture;
use openapi::{error::ApiError, models::OnboardingPreferences};
use platform::db::Tx;

use crate::{access::node_levels::Member, kernel::audit::AuditTarget};

/// The site that the request for an organization asks for.
pub struct WantedSite {
    /// The title of the organization.
    pub title: String,
    /// The address of an OpenAPI specification that the content comes from.
    pub openapi_url: Option<String>,
    pub preferences: Option<OnboardingPreferences>,
}

/// A site that was created, and all that came with it.
pub struct CreatedSite {
    pub id: SiteId,
    pub targets: Vec<AuditTarget>,
}

/// Makes the sites of new organizations.
pub trait DefaultSites: Send + Sync {
    /// Makes a site for an organization that `owner` is going to administer.
    fn prepare(&self, owner: Member, wanted: WantedSite) -> BoxFuture<'_, Result<Arc<dyn PreparedSite>, ApiError>>;
}

/// A site with its content, ready to be inserted.
pub trait PreparedSite: Send + Sync {
    /// Inserts the site, in the transaction that has inserted its organization.
    fn insert<'a>(&'a self, tx: &'a Tx) -> BoxFuture<'a, Result<CreatedSite, ApiError>>;
}
