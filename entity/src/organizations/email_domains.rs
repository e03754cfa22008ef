//! Email domains whose verified users may join an organization by themselves.

use sea_orm::entity::prelude::*;

use crate::ids::OrganizationId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "organization_email_domains")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// Lower-case.
    #[sea_orm(
        primary_key,
        auto_increment = false,
        indexed,
        column_type = "String(StringLen::N(253))"
    )]
    pub domain: String,
    /// Where the domain stands in the organization's list.
    pub position: i32,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
