//! The issues of clusters by the source of their conversations.

use sea_orm::entity::prelude::*;

use crate::ids::IssuesClusterId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issues_cluster_sources")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub cluster_id: IssuesClusterId,
    #[sea_orm(primary_key, auto_increment = false, column_type = "String(StringLen::N(255))")]
    pub source: String,
    pub issues: i32,
    #[sea_orm(belongs_to, from = "cluster_id", to = "id", on_delete = "Cascade")]
    pub cluster: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
