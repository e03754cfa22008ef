//! Names in addresses of sites: those of sites and those of organizations, which lead to the default content. A name of one
//! organization does not lead to another one.

use entity::{ids::OrganizationId, organizations, publishing::sites};
use openapi::error::{ApiError, ErrorType};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, SelectExt};

/// Returns whether a site of another organization has the name.
pub async fn is_of_other_site(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    name: &str,
) -> Result<bool, DbErr> {
    sites::Entity::find()
        .filter(sites::Column::Basename.eq(name))
        .filter(sites::Column::OrganizationId.ne(organization))
        .exists(db)
        .await
}

/// Returns whether another organization has the name.
pub async fn is_of_other_organization(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    name: &str,
) -> Result<bool, DbErr> {
    organizations::Entity::find()
        .filter(organizations::Column::Hostname.eq(name))
        .filter(organizations::Column::Id.ne(organization))
        .exists(db)
        .await
}

/// Runs a write with a new site once more if another node took its name at the same time: now the name is seen.
pub async fn retry_taken<T, F>(write: impl Fn() -> F) -> Result<T, ApiError>
where
    F: Future<Output = Result<T, ApiError>>,
{
    match write().await {
        Err(error) if error.kind() == ErrorType::BasenameTaken => write().await,
        other => other,
    }
}
