//! The scripts of integrations, apart from their other columns because they are large.

use sea_orm::entity::prelude::*;

use crate::ids::IntegrationId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "integration_scripts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub integration_id: IntegrationId,
    #[sea_orm(column_type = "Text")]
    pub script: String,
    #[sea_orm(belongs_to, from = "integration_id", to = "id", on_delete = "Cascade")]
    pub integration: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
