//! The integrations that are installed on a space or a site.

use entity::ids::OrganizationId;
use openapi::{error::ApiError, models::IntegrationList};
use platform::db::fold;

use super::store;
use crate::{
    access::Caller,
    areas::integrations::{integrations::view::views, place::Place},
    kernel::Kernel,
};

/// The integrations that are installed on a space or a site, and whose name or title contains a text.
pub async fn list(
    kernel: &Kernel,
    caller: &Caller,
    (organization, place): (OrganizationId, Place),
    search: Option<&str>,
) -> Result<IntegrationList, ApiError> {
    let installed = store::installed_on(kernel.db.read(), organization, place).await?;
    let search = search.map(fold).unwrap_or_default();
    let found = installed.into_iter().map(|(integration, _)| integration);
    let found = found.filter(|row| row.search_text.contains(&search)).collect();
    let items = views(kernel, caller, found).await?;
    Ok(IntegrationList {
        next: None,
        count: u64::try_from(items.len()).ok(),
        items,
    })
}
