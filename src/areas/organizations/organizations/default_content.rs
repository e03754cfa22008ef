//! The default content of organizations: the site that the hostname of the organization shows.

use std::collections::HashMap;

use entity::{
    ids::{Id, OrganizationId, SiteId},
    publishing::sites::{
        self,
        default_content::{Column, Entity, Model},
    },
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::OrganizationDefaultContent,
};
use platform::db::rows;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

/// Stores the default content of an organization in place of the one before. `None` removes it.
pub async fn set(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    content: Option<OrganizationDefaultContent>,
) -> Result<(), ApiError> {
    let Some(OrganizationDefaultContent { r#type: _, site }) = content else {
        Entity::delete_by_id(organization).exec(db).await?;
        return Ok(());
    };
    let of_organization = sites::Entity::find().filter(sites::Column::OrganizationId.eq(organization));
    // Locked, so that the site is not deleted meanwhile.
    let site = rows::find(db, of_organization.lock_exclusive(), SiteId::parse_or_nil(&site)).await?;
    let site = site.ok_or_else(unknown_site)?;
    Ok(put(db, organization, site.id).await?)
}

/// Stores a site of the organization as its default content.
pub async fn put(db: &impl ConnectionTrait, organization: OrganizationId, site: SiteId) -> Result<(), DbErr> {
    let row = Model {
        organization_id: organization,
        site_id: site,
    };
    rows::put(db, &row).await
}

fn unknown_site() -> ApiError {
    ApiError::invalid_member(
        "/body/defaultContent/site",
        ErrorRule::UnknownSite,
        "`defaultContent.site` is not a site of the organization.",
    )
}

/// The default content of organizations; absent where there is none.
pub async fn of(
    db: &impl ConnectionTrait,
    organizations: &[OrganizationId],
) -> Result<HashMap<OrganizationId, SiteId>, DbErr> {
    if organizations.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = Entity::find().filter(Column::OrganizationId.is_in(organizations.iter().copied()));
    let rows = rows.all(db).await?.into_iter();
    Ok(rows.map(|row| (row.organization_id, row.site_id)).collect())
}

pub fn view(site: SiteId) -> OrganizationDefaultContent {
    OrganizationDefaultContent {
        r#type: Default::default(),
        site: site.to_string(),
    }
}
