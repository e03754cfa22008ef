//! Pages that integrations have computed.

use sea_orm::entity::prelude::*;

use crate::{ids::NodeId, timestamp::Timestamp};

/// The pages of one content source in a space. All placeholders with the same source share them.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "computed_contents")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: NodeId,
    /// The hash of the source as placeholders have it.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub source: Vec<u8>,
    /// The hash of the pages.
    #[sea_orm(column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    /// The pages as JSON.
    #[sea_orm(column_type = "Blob")]
    pub pages: Vec<u8>,
    pub computed_at: Timestamp,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
