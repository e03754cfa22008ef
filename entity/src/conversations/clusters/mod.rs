//! Clusters of similar issues.

pub mod history;
pub mod sources;
pub mod terms;
pub mod weeks;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{IssuesClusterId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issues_clusters")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: IssuesClusterId,
    pub organization_id: OrganizationId,
    #[sea_orm(column_type = "String(StringLen::N(100))")]
    pub label: String,
    #[sea_orm(column_type = "String(StringLen::N(1000))")]
    pub summary: String,
    #[sea_orm(column_type = "String(StringLen::N(50))")]
    pub icon: String,
    /// `None`: the latest issues were clustered anew since its last change.
    pub status: Option<IssuesClusterStatus>,
    pub issues: i32,
    /// The conversations with an issue in the cluster.
    pub conversations: i32,
    /// The sum of the terms of its issues, in the form of the crate `conversations`.
    #[sea_orm(column_type = "Blob")]
    pub centroid: Vec<u8>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// What is left to do for a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum IssuesClusterStatus {
    #[sea_orm(string_value = "pending")]
    Pending,
    #[sea_orm(string_value = "analysing")]
    Analysing,
}
