//! Which members of an organization belong to which of its teams.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, TeamId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "team_members")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub team_id: TeamId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: UserId,
    pub organization_id: OrganizationId,
    pub role: TeamMemberRole,
    pub added_at: Timestamp,
    #[sea_orm(
        belongs_to,
        from = "(organization_id, team_id)",
        to = "(organization_id, id)",
        on_delete = "Cascade"
    )]
    pub team: BelongsTo<super::Entity>,
    /// Leaving the organization leaves its teams.
    #[sea_orm(
        belongs_to,
        from = "(organization_id, user_id)",
        to = "(organization_id, user_id)",
        on_delete = "Cascade"
    )]
    pub member: BelongsTo<crate::organizations::members::Entity>,
    /// For joins; `member` already guarantees that the user exists.
    #[sea_orm(belongs_to, from = "user_id", to = "id", skip_fk)]
    pub user: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(8))")]
pub enum TeamMemberRole {
    #[sea_orm(string_value = "owner")]
    Owner,
    #[sea_orm(string_value = "member")]
    Member,
}
