//! Numbers of the spaces of an organization that are not deleted, kept as spaces change.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "organization_space_counts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// The effective default level; empty for those without one.
    #[sea_orm(primary_key, auto_increment = false, column_type = "String(StringLen::N(16))")]
    pub default_level: String,
    pub spaces: i32,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
