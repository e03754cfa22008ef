//! Settings of a site that a site space overrides.

use sea_orm::entity::prelude::*;

use crate::ids::SiteSpaceId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_space_customizations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub site_space_id: SiteSpaceId,
    /// The overridden members alone, never empty.
    #[sea_orm(column_type = "Json")]
    pub overrides: Json,
    #[sea_orm(belongs_to, from = "site_space_id", to = "id", on_delete = "Cascade")]
    pub site_space: BelongsTo<super::site_spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
