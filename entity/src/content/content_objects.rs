//! Content-addressed objects of spaces.

use sea_orm::entity::prelude::*;

use crate::ids::NodeId;

/// Every space has its own, so that nobody reads another's by its hash, and a space goes with all that it holds.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "content_objects")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: NodeId,
    /// The SHA-256 of the data.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    #[sea_orm(column_type = "Blob")]
    pub data: Vec<u8>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
