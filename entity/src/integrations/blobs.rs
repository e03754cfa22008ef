//! The blobs of integrations: their icons and preview images.

use sea_orm::entity::prelude::*;

use crate::ids::IntegrationId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "integration_blobs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub integration_id: IntegrationId,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    #[sea_orm(belongs_to, from = "integration_id", to = "id", on_delete = "Cascade")]
    pub integration: BelongsTo<super::Entity>,
    /// Keeps a blob from being dropped.
    #[sea_orm(belongs_to, from = "hash", to = "hash")]
    pub blob: BelongsTo<crate::platform::blobs::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
