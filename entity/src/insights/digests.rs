//! Digests of batches in which every event has a time: the same batch, sent again, counts once.

use sea_orm::entity::prelude::*;

use crate::{ids::SiteId, timestamp::Timestamp};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_digests")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub site_id: SiteId,
    #[sea_orm(primary_key, auto_increment = false, column_type = "Binary(32)")]
    pub digest: Vec<u8>,
    #[sea_orm(indexed)]
    pub received_at: Timestamp,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<crate::publishing::sites::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
