//! The settings of a site that decide how its readers see it.

use sea_orm::entity::prelude::*;

use crate::ids::SiteId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_customizations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub site_id: SiteId,
    /// As in the contract, with all members that a request has to send.
    #[sea_orm(column_type = "Json")]
    pub settings: Json,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
