//! Audit events: inserted in the transaction of the change and never updated.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{AuditEventId, OrganizationId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_events")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: AuditEventId,
    /// `None`: a change outside of organizations, such as that of a profile.
    pub organization_id: Option<OrganizationId>,
    pub occurred_at: Timestamp,
    /// `<area>.<operation>`.
    #[sea_orm(column_type = "String(StringLen::N(128))")]
    pub action: String,
    pub actor_type: ActorType,
    #[sea_orm(column_type = "String(StringLen::N(64))")]
    pub actor_id: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub actor_label: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(32))")]
    pub target_type: String,
    #[sea_orm(column_type = "String(StringLen::N(64))")]
    pub target_id: String,
    #[sea_orm(column_type = "Text", nullable)]
    pub target_label: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(128))", nullable)]
    pub request_id: Option<String>,
    /// An object that says more about the change; never a secret.
    #[sea_orm(column_type = "Json")]
    pub payload: Json,
    /// The user whom a change outside of organizations concerns. `None`: a change in an organization.
    pub user_id: Option<UserId>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<Option<crate::organizations::Entity>>,
    #[sea_orm(belongs_to, from = "user_id", to = "id", on_delete = "Cascade")]
    pub user: BelongsTo<Option<crate::identity::users::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The kind of actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum ActorType {
    #[sea_orm(string_value = "user")]
    User,
    /// An integration, with a token of its own.
    #[sea_orm(string_value = "integration")]
    Integration,
    #[sea_orm(string_value = "installation")]
    Installation,
    /// The service itself, or its operator on the command line.
    #[sea_orm(string_value = "system")]
    System,
}
