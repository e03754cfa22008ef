//! Integrations that are installed on organizations.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{IntegrationId, IntegrationInstallationId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "integration_installations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: IntegrationInstallationId,
    pub integration_id: IntegrationId,
    pub organization_id: OrganizationId,
    pub status: InstallationStatus,
    pub space_selection: InstallationSelection,
    pub site_selection: InstallationSelection,
    /// The scopes of the version that somebody of the organization has approved, which its tokens have at most.
    #[sea_orm(column_type = "Json")]
    pub approved_scopes: Json,
    /// A JSON object, sealed with the secret key of the server.
    #[sea_orm(column_type = "Blob")]
    pub configuration: Vec<u8>,
    #[sea_orm(column_type = "Json")]
    pub external_ids: Json,
    /// Rows in `content_installations` with a space; changed in the transaction that changes them.
    pub space_count: i32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "integration_id", to = "id", on_delete = "Cascade")]
    pub integration: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// Whether an installation gets events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum InstallationStatus {
    #[sea_orm(string_value = "active")]
    Active,
    /// It waits for its configuration, or for the approval of scopes.
    #[sea_orm(string_value = "pending")]
    Pending,
}

/// The spaces or sites of the organization on which an installation works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum InstallationSelection {
    #[sea_orm(string_value = "all")]
    All,
    #[sea_orm(string_value = "selected")]
    Selected,
}
