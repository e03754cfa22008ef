//! Members: which user belongs to which organization, and how.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "members")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: UserId,
    /// `None`: a guest.
    pub role: Option<MemberRole>,
    /// Disabled members keep their place and are refused everywhere in the organization.
    pub disabled: bool,
    /// Gets in by single sign-on only, as all members do if the organization says so.
    pub sso: bool,
    /// Gets in without it whatever the others say, so that somebody can when the identity provider fails.
    #[sea_orm(default_value = false)]
    pub sso_exempt: bool,
    pub joined_at: Timestamp,
    pub last_seen_at: Option<Timestamp>,
    /// Rows in `team_members`; changed in the transaction that changes them.
    pub teams_count: i32,
    /// The folded display name of the user; changed in the transaction that changes it.
    #[sea_orm(column_type = "Text", default_value = "")]
    pub sort_name: String,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<crate::identity::users::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The role of a member, lowest first, so that roles can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum MemberRole {
    #[sea_orm(string_value = "read")]
    Read,
    #[sea_orm(string_value = "comment")]
    Comment,
    #[sea_orm(string_value = "edit")]
    Edit,
    #[sea_orm(string_value = "review")]
    Review,
    #[sea_orm(string_value = "create")]
    Create,
    #[sea_orm(string_value = "admin")]
    Admin,
}
