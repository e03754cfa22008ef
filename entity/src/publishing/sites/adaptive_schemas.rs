//! The claims that a site knows of its visitors.

use sea_orm::entity::prelude::*;

use crate::{ids::SiteId, timestamp::Timestamp};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "site_adaptive_schemas")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub site_id: SiteId,
    /// As it was sent: a JSON Schema.
    #[sea_orm(column_type = "Json")]
    pub schema: Json,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "site_id", to = "id", on_delete = "Cascade")]
    pub site: BelongsTo<super::Entity>,
}

crate::stored_row! {
    site_id,
    schema,
    updated_at,
}

impl ActiveModelBehavior for ActiveModel {}
