//! Links with which anyone may read a site. Their keys are signed, not stored.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ShareLinkId, SiteId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_share_links")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ShareLinkId,
    pub site_id: SiteId,
    #[sea_orm(column_type = "String(StringLen::N(50))")]
    pub name: String,
    /// The name in lower case, for searches.
    #[sea_orm(column_type = "Text")]
    pub name_folded: String,
    pub active: bool,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<super::Entity>,
}

crate::stored_row! {
    id,
    site_id,
    name,
    name_folded,
    active,
    created_at,
}

impl ActiveModelBehavior for ActiveModel {}
