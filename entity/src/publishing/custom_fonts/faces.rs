//! The files of fonts, one for each weight.

use sea_orm::entity::prelude::*;

use super::FontFormat;
use crate::ids::CustomFontId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "custom_font_faces")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub font_id: CustomFontId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub weight: i32,
    #[sea_orm(column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    pub format: FontFormat,
    #[sea_orm(belongs_to, from = "font_id", to = "id", on_delete = "Cascade")]
    pub font: BelongsTo<super::Entity>,
    /// Keeps the blob from being dropped.
    #[sea_orm(belongs_to, from = "hash", to = "hash")]
    pub blob: BelongsTo<crate::platform::blobs::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
