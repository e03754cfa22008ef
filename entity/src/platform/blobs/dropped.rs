//! Blobs that nobody refers to any more, and that are still to be removed from the store.

use sea_orm::entity::prelude::*;

use crate::ids::BlobId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "dropped_blobs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: BlobId,
    #[sea_orm(column_type = "Binary(32)")]
    pub hash: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
