//! Change requests: content that is worked on beside the content of its space.

pub mod conflicts;
pub mod contributors;
pub mod requested_reviewers;
pub mod reviews;

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ChangeRequestId, IssuesClusterId, NodeId, OrganizationId, RevisionId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "change_requests")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ChangeRequestId,
    #[sea_orm(unique_key = "space_number")]
    pub space_id: NodeId,
    /// Counts within the space, from 1.
    #[sea_orm(unique_key = "space_number")]
    pub number: i32,
    pub status: ChangeRequestStatus,
    #[sea_orm(column_type = "String(StringLen::N(100))")]
    pub subject: String,
    /// A document of rich text.
    #[sea_orm(column_type = "Json", nullable)]
    pub description: Option<Json>,
    /// Links to other addresses.
    #[sea_orm(column_type = "Json", nullable)]
    pub links: Option<Json>,
    pub created_by: UserId,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Its content.
    pub revision_id: RevisionId,
    /// The revision of the space that it started from.
    pub initial_id: RevisionId,
    /// The revision of the space that it pulled in last.
    pub ancestor_id: Option<RevisionId>,
    /// The revision that the merge created.
    pub merged_id: Option<RevisionId>,
    pub merged_at: Option<Timestamp>,
    pub merged_by: Option<UserId>,
    /// That of the space, for lists over an organization.
    #[sea_orm(default_value = "00000000-0000-0000-0000-000000000000")]
    pub organization_id: OrganizationId,
    /// The cluster of issues that it answers.
    #[sea_orm(indexed)]
    pub conversations_issues_cluster_id: Option<IssuesClusterId>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
    #[sea_orm(
        belongs_to,
        from = "conversations_issues_cluster_id",
        to = "id",
        on_delete = "SetNull"
    )]
    pub cluster: BelongsTo<Option<crate::conversations::clusters::Entity>>,
}

crate::stored_row! {
    id,
    space_id,
    number,
    status,
    subject,
    description,
    links,
    created_by,
    created_at,
    updated_at,
    revision_id,
    initial_id,
    ancestor_id,
    merged_id,
    merged_at,
    merged_by,
    organization_id,
    conversations_issues_cluster_id,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum ChangeRequestStatus {
    #[sea_orm(string_value = "draft")]
    Draft,
    #[sea_orm(string_value = "open")]
    Open,
    #[sea_orm(string_value = "archived")]
    Archived,
    #[sea_orm(string_value = "merged")]
    Merged,
}
