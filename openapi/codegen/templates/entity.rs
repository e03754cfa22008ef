//! {{Area_words}} of organizations.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{{{One}}Id, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "{{area}}")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: {{One}}Id,
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "String(StringLen::N(100))")]
    pub title: String,
    pub created_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
