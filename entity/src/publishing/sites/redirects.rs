//! Paths in a site that lead elsewhere.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{SiteId, SiteRedirectId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_redirects")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: SiteRedirectId,
    pub site_id: SiteId,
    /// A draft has no effect.
    pub draft: bool,
    #[sea_orm(column_type = "String(StringLen::N(512))")]
    pub source: String,
    /// The source in lower case, for searches.
    #[sea_orm(column_type = "String(StringLen::N(512))")]
    pub source_folded: String,
    /// As in the contract.
    #[sea_orm(column_type = "Json")]
    pub destination: Json,
    pub capture_wildcard: bool,
    pub permanent: bool,
    pub created_at: Timestamp,
    /// The time of the last change; that of the creation for a redirect that was never changed.
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
