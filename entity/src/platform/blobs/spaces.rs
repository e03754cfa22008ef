//! Which space holds which blobs, in any of its revisions.

use sea_orm::entity::prelude::*;

use crate::ids::NodeId;

/// Knowing the hash of another space's file gives nobody its bytes.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "space_blobs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: NodeId,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
    /// Keeps a blob from being dropped.
    #[sea_orm(belongs_to, from = "hash", to = "hash")]
    pub blob: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
