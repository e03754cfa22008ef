//! Fonts of organizations.

pub mod faces;

use sea_orm::entity::prelude::*;

use crate::ids::{CustomFontId, OrganizationId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "custom_fonts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CustomFontId,
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "String(StringLen::N(50))")]
    pub font_family: String,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(8))")]
pub enum FontFormat {
    #[sea_orm(string_value = "woff2")]
    Woff2,
    #[sea_orm(string_value = "woff")]
    Woff,
}
