//! The bytes of files. They lie in the store of blobs; here is what is known of them.

pub mod dropped;
pub mod spaces;

use sea_orm::entity::prelude::*;

use crate::{ids::BlobId, timestamp::Timestamp};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "blobs")]
pub struct Model {
    /// The SHA-256 of the bytes.
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub hash: Vec<u8>,
    /// The other part of the name in the store: the same bytes have a new one when they come back after they were dropped.
    pub id: BlobId,
    pub size: i64,
    /// When somebody last began to store these bytes.
    pub claimed_at: Timestamp,
}

impl ActiveModelBehavior for ActiveModel {}
