//! Installations of integrations on single spaces and sites.

use sea_orm::entity::prelude::*;

use super::installations::InstallationStatus;
use crate::{
    ids::{ContentInstallationId, IntegrationId, IntegrationInstallationId, NodeId, SiteId},
    timestamp::Timestamp,
};

/// Either the space or the site is there.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "content_installations")]
pub struct Model {
    /// Made of the ids of the installation and of the space or site.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ContentInstallationId,
    pub installation_id: IntegrationInstallationId,
    /// That of the installation.
    pub integration_id: IntegrationId,
    pub space_id: Option<NodeId>,
    pub site_id: Option<SiteId>,
    pub status: InstallationStatus,
    /// A JSON object, sealed with the secret key of the server.
    #[sea_orm(column_type = "Blob")]
    pub configuration: Vec<u8>,
    #[sea_orm(column_type = "Json")]
    pub external_ids: Json,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "installation_id", to = "id", on_delete = "Cascade")]
    pub installation: BelongsTo<super::installations::Entity>,
    #[sea_orm(belongs_to, from = "integration_id", to = "id", on_delete = "Cascade")]
    pub integration: BelongsTo<super::Entity>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<Option<crate::library::spaces::Entity>>,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<Option<crate::publishing::sites::Entity>>,
}

impl ActiveModelBehavior for ActiveModel {}
