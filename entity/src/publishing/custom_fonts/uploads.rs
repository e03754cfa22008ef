//! Uploaded files of fonts, from which fonts are made within a day.

use sea_orm::entity::prelude::*;

use super::FontFormat;
use crate::{
    ids::{CustomFontUploadId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "custom_font_uploads")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CustomFontUploadId,
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    pub format: FontFormat,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    /// Keeps the blob from being dropped.
    #[sea_orm(belongs_to, from = "hash", to = "hash")]
    pub blob: BelongsTo<crate::platform::blobs::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
