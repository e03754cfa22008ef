//! Teams of an organization.

pub mod members;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, TeamId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "teams")]
pub struct Model {
    /// Unique by itself; the pair with the organization is what memberships refer to, so that a team can hold only
    /// members of its own organization.
    #[sea_orm(primary_key, auto_increment = false, unique_key = "organization_team")]
    pub id: TeamId,
    #[sea_orm(unique_key = "organization_team")]
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "String(StringLen::N(64))")]
    pub title: String,
    /// The title in lower case, for searches.
    #[sea_orm(column_type = "Text")]
    pub title_folded: String,
    /// Rows in `team_members`; changed in the transaction that changes them.
    pub members_count: i32,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
