//! Permissions on sites: the levels that people and teams are given on them.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, PermissionId, SiteId, TeamId, UserId},
    organizations::members::MemberRole,
    timestamp::Timestamp,
};

/// Given either to a user or to a team, and once for each site: two unique indexes of the migration see to it.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_permissions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: PermissionId,
    pub organization_id: OrganizationId,
    pub site_id: SiteId,
    pub user_id: Option<UserId>,
    pub team_id: Option<TeamId>,
    pub role: MemberRole,
    pub created_at: Timestamp,
    #[sea_orm(
        belongs_to,
        from = "(site_id, organization_id)",
        to = "(id, organization_id)",
        on_delete = "Cascade"
    )]
    pub site: BelongsTo<super::Entity>,
    /// Leaving the organization ends its permissions.
    #[sea_orm(
        belongs_to,
        from = "(organization_id, user_id)",
        to = "(organization_id, user_id)",
        on_delete = "Cascade"
    )]
    pub member: BelongsTo<Option<crate::organizations::members::Entity>>,
    #[sea_orm(
        belongs_to,
        from = "(organization_id, team_id)",
        to = "(organization_id, id)",
        on_delete = "Cascade"
    )]
    pub team: BelongsTo<Option<crate::organizations::teams::Entity>>,
    /// For joins; `member` already guarantees that the user exists.
    #[sea_orm(belongs_to, from = "user_id", to = "id", skip_fk)]
    pub user: BelongsTo<Option<crate::identity::users::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}
