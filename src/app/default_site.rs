//! The site that a new organization starts with. Organizations are created in an area that knows neither spaces nor sites,
//! so that the areas of these implement [`DefaultSite`].

use entity::ids::SiteId;
use openapi::{error::ApiError, models::OnboardingPreferences};
use platform::db::Tx;

use crate::{access::node_levels::Member, app::audit::AuditTarget};

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

pub trait DefaultSite {
    /// A site with its content, ready to be inserted.
    type Prepared: Clone + Send + Sync + 'static;

    /// Makes a site for an organization that `owner` is going to administer.
    fn prepare_site(
        &self,
        owner: Member,
        wanted: WantedSite,
    ) -> impl Future<Output = Result<Self::Prepared, ApiError>> + Send;

    /// Inserts the site, in the transaction that has inserted its organization.
    fn insert_site(tx: &Tx, site: &Self::Prepared) -> impl Future<Output = Result<CreatedSite, ApiError>> + Send;
}
