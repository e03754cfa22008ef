//! The ids that integrations give their installations, for finding an installation by one.

use sea_orm::entity::prelude::*;

use crate::ids::{ContentInstallationId, IntegrationId, IntegrationInstallationId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "integration_external_ids")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub integration_id: IntegrationId,
    #[sea_orm(primary_key, auto_increment = false, column_type = "String(StringLen::N(256))")]
    pub external_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub installation_id: IntegrationInstallationId,
    /// The nil id: the installation on the organization.
    #[sea_orm(primary_key, auto_increment = false)]
    pub content_installation_id: ContentInstallationId,
    #[sea_orm(belongs_to, from = "installation_id", to = "id", on_delete = "Cascade")]
    pub installation: BelongsTo<super::installations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
