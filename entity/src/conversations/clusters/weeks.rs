//! The issues of clusters by week.

use sea_orm::entity::prelude::*;

use crate::ids::IssuesClusterId;

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issues_cluster_weeks")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub cluster_id: IssuesClusterId,
    /// Counts the weeks from Monday to Sunday, UTC, from the one in which the Unix epoch is.
    #[sea_orm(primary_key, auto_increment = false)]
    pub week: i32,
    pub issues: i32,
    #[sea_orm(belongs_to, from = "cluster_id", to = "id", on_delete = "Cascade")]
    pub cluster: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
