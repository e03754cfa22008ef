//! Segments: insight events of one site and day.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{InsightSegmentId, SiteId},
    timestamp::Timestamp,
};

/// The rows of a deleted site are removed by a job, in transactions of few rows.
#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_segments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: InsightSegmentId,
    pub site_id: SiteId,
    /// Days since 1970, UTC.
    #[sea_orm(indexed)]
    pub day: i32,
    /// The number of events, and the times of the first and the last one.
    pub events: i32,
    pub first_at: Timestamp,
    pub last_at: Timestamp,
    /// Memory of the decoded events, of which equal texts count once.
    pub bytes: i64,
}

impl ActiveModelBehavior for ActiveModel {}
