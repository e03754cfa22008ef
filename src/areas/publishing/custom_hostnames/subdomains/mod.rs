//! The names of organizations in addresses.

use entity::{
    organizations::{Column, Entity},
    publishing::sites::{self, default_content},
};
use openapi::{
    error::ApiError,
    models::{OrganizationPointer, Subdomain},
    operations::subdomains::SubdomainsApi,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::{access::Caller, areas::publishing::Publishing};

impl SubdomainsApi for Publishing {
    async fn get_subdomain(&self, _: Caller, subdomain: String) -> Result<Subdomain, ApiError> {
        let (db, unknown) = (self.kernel.db.read(), || ApiError::not_found("subdomain"));
        // PostgreSQL refuses texts with NUL, which no name has.
        if subdomain.contains('\0') {
            return Err(unknown());
        }
        let found = Entity::find().filter(Column::Hostname.eq(&subdomain)).one(db).await?;
        let organization = found.ok_or_else(unknown)?;
        let published = default_content::Entity::find_by_id(organization.id)
            .inner_join(sites::Entity)
            .filter(sites::Column::Published.eq(true))
            .one(db)
            .await?;
        Ok(Subdomain {
            object: Default::default(),
            subdomain,
            target: OrganizationPointer {
                r#type: Default::default(),
                organization: organization.id.to_string(),
            },
            is_active: published.is_some(),
        })
    }
}
