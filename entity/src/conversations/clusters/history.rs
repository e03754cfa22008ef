//! The former ids of clusters: those of clusters whose issues went over to them.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{IssuesClusterId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issues_cluster_history")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub former_id: IssuesClusterId,
    pub organization_id: OrganizationId,
    /// The present cluster.
    #[sea_orm(indexed)]
    pub cluster_id: IssuesClusterId,
    pub merged_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(belongs_to, from = "cluster_id", to = "id", on_delete = "Cascade")]
    pub cluster: BelongsTo<super::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
