//! Bytes of the events that sites have received on a day.

use sea_orm::entity::prelude::*;

use crate::ids::SiteId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "insight_days")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub site_id: SiteId,
    /// Days since 1970, UTC.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i32,
    pub bytes: i64,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<crate::publishing::sites::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
