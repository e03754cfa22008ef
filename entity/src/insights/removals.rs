//! Visitors whose events are to be deleted.

use sea_orm::entity::prelude::*;

use crate::ids::{JobId, SiteId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_removals")]
pub struct Model {
    /// The job that was queued with the row. An earlier one of the same site may do its work.
    #[sea_orm(primary_key, auto_increment = false)]
    pub job_id: JobId,
    #[sea_orm(indexed)]
    pub site_id: SiteId,
    /// The bits of the hash of the visitor's id.
    pub visitor: i64,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<crate::publishing::sites::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
