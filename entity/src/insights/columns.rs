//! Columns of segments.

use sea_orm::entity::prelude::*;

use crate::ids::InsightSegmentId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_columns")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub segment_id: InsightSegmentId,
    /// The number of a column in the crate `insights`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i16,
    #[sea_orm(column_type = "Blob")]
    pub data: Vec<u8>,
    #[sea_orm(belongs_to, from = "segment_id", to = "id", on_delete = "Cascade")]
    pub segment: BelongsTo<super::segments::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
