//! People whom somebody else has removed from an organization, until they are let in again.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "removed_members")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    #[sea_orm(primary_key, auto_increment = false, indexed)]
    pub user_id: UserId,
    pub removed_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
