//! The terms of the centroids of clusters.

use sea_orm::entity::prelude::*;

use crate::ids::{IssuesClusterId, OrganizationId};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issues_cluster_terms")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: OrganizationId,
    /// The hash of the term.
    #[sea_orm(primary_key, auto_increment = false)]
    pub term: i64,
    #[sea_orm(primary_key, auto_increment = false, indexed)]
    pub cluster_id: IssuesClusterId,
    #[sea_orm(belongs_to, from = "cluster_id", to = "id", on_delete = "Cascade")]
    pub cluster: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
