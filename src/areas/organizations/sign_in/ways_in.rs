//! The providers at which people sign in who know their email address, or the hostname or id of their organization.

use entity::{
    ids::{Id, OrganizationId},
    organizations::{
        self,
        saml_providers::{Column, Entity},
    },
};
use openapi::error::ApiError;
use platform::db::fold;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    SelectExt,
};

use crate::{areas::organizations::organizations::domain_store, kernel::Kernel};

/// Providers in an answer.
const MAX_LISTED: u64 = 20;

/// Longer texts are no addresses and no hostnames.
const MAX_LENGTH: usize = 320;

/// A provider at which people sign in.
pub struct WayIn {
    pub label: String,
    /// The title of its organization.
    pub organization: String,
    pub start_url: String,
}

/// The ways in for a text. An address counts by its domain alone, so that the answer does not tell who exists.
pub async fn find(kernel: &Kernel, text: &str) -> Result<Vec<WayIn>, ApiError> {
    let text = fold(text.trim());
    if text.is_empty() || text.len() > MAX_LENGTH {
        return Ok(Vec::new());
    }
    let db = kernel.db.read();
    let organizations = match text.rsplit_once('@') {
        Some((_, domain)) => domain_store::owners(db, domain).await?,
        None => of_name(db, &text).await?,
    };
    if organizations.is_empty() {
        return Ok(Vec::new());
    }
    let query = active()
        .filter(Column::OrganizationId.is_in(organizations))
        .order_by_asc(Column::Label)
        .order_by_asc(Column::Id);
    let query = query.find_also_related(organizations::Entity);
    let rows = query.limit(MAX_LISTED).all(db).await?;
    Ok(rows
        .into_iter()
        .map(|(row, organization)| WayIn {
            organization: organization.map(|row| row.title).unwrap_or_default(),
            start_url: kernel.urls.saml_page(row.id, "start"),
            label: row.label,
        })
        .collect())
}

/// Returns whether there is a way in at all.
pub async fn exist(kernel: &Kernel) -> Result<bool, ApiError> {
    Ok(active().exists(kernel.db.read()).await?)
}

/// The providers at which people can sign in.
fn active() -> Select<Entity> {
    Entity::find()
        .filter(Column::EntityId.ne(""))
        .filter(Column::Certificate.ne(""))
        .filter(Column::SsoUrl.ne(""))
}

async fn of_name(db: &impl ConnectionTrait, name: &str) -> Result<Vec<OrganizationId>, DbErr> {
    let known = Condition::any()
        .add(organizations::Column::Hostname.eq(name))
        .add(organizations::Column::Id.eq(OrganizationId::parse_or_nil(name)));
    let query = organizations::Entity::find()
        .select_only()
        .column(organizations::Column::Id);
    query.filter(known).into_tuple().all(db).await
}
