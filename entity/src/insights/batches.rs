//! Batches of insight events that wait for the engine.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{InsightBatchId, InsightChunkId, SiteId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_batches")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: InsightBatchId,
    pub site_id: SiteId,
    /// The batches that the engine takes together have the same chunk, at each attempt.
    pub chunk_id: Option<InsightChunkId>,
    pub received_at: Timestamp,
    /// The number of events, and the times of the first and the last one.
    pub events: i32,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    /// Memory of the events if none of them share a text.
    pub bytes: i64,
    /// The events, as the crate `insights` encodes a segment.
    #[sea_orm(column_type = "Blob")]
    pub data: Vec<u8>,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<crate::publishing::sites::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
