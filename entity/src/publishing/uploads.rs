//! Uploaded files, from which fonts are made, or which are imported, within a day.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{OrganizationId, UploadId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "uploads")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: UploadId,
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    pub format: UploadFormat,
    #[sea_orm(column_type = "String(StringLen::N(512))")]
    pub name: String,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    /// Keeps the blob from being dropped.
    #[sea_orm(belongs_to, from = "hash", to = "hash")]
    pub blob: BelongsTo<crate::platform::blobs::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(8))")]
pub enum UploadFormat {
    #[sea_orm(string_value = "woff2")]
    Woff2,
    #[sea_orm(string_value = "woff")]
    Woff,
    #[sea_orm(string_value = "zip")]
    Zip,
    #[sea_orm(string_value = "markdown")]
    Markdown,
}
