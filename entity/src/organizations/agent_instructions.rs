//! Instructions of an organization for its writing agents; at most one row per organization.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "agent_instructions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// A rich text document.
    #[sea_orm(column_type = "Json")]
    pub instructions: Json,
    pub updated_at: Timestamp,
    pub updated_by: UserId,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "updated_by", to = "id")]
    pub updater: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
