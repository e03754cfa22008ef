//! The branches with which spaces are synchronized.

use sea_orm::entity::prelude::*;

use super::git_operations::GitDirection;
use crate::{
    ids::{ChangeRequestId, GitInstallationId, JobId, NodeId, OrganizationId, RevisionId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "git_syncs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: NodeId,
    pub organization_id: OrganizationId,
    /// The address of the repository, without credentials. `None`: nothing has been synchronized yet.
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub address: Option<String>,
    /// The branch.
    #[sea_orm(column_type = "String(StringLen::N(255))", nullable)]
    pub reference: Option<String>,
    /// The directory in the repository; empty for its root.
    #[sea_orm(column_type = "String(StringLen::N(1024))")]
    pub directory: String,
    /// The keys of the host, for SSH.
    #[sea_orm(column_type = "Text", nullable)]
    pub known_hosts: Option<String>,
    pub provider: Option<GitProvider>,
    /// The address of the files, for people.
    #[sea_orm(column_type = "String(StringLen::N(2048))", nullable)]
    pub tree_url: Option<String>,
    /// The commit and the revision that have the same content, at the last import or export.
    #[sea_orm(column_type = "Binary(20)", nullable)]
    pub commit: Option<Vec<u8>>,
    pub revision_id: Option<RevisionId>,
    /// The change request with the changes of both sides that cannot be merged.
    pub change_request_id: Option<ChangeRequestId>,
    /// The job that runs an operation.
    pub running_job_id: Option<JobId>,
    /// The latest time that an operation which was carried out had been given.
    pub ordered_at: Option<Timestamp>,
    /// The installation by which the space follows a branch by itself, who made it, and when.
    #[sea_orm(unique)]
    pub installation_id: Option<GitInstallationId>,
    pub installed_by: Option<UserId>,
    pub installed_at: Option<Timestamp>,
    /// The repository and the settings of the installation, sealed: they have credentials. `None`: nothing is set up.
    #[sea_orm(column_type = "Blob", nullable)]
    pub setup: Option<Vec<u8>>,
    /// When the server looks at the branch. `None`: the space does not follow one.
    pub next_poll_at: Option<Timestamp>,
    /// How often in a row it could not, what it tried, why it could not, and whether the host refused the credentials.
    pub failures: i32,
    pub failed_direction: Option<GitDirection>,
    #[sea_orm(column_type = "Text", nullable)]
    pub problem: Option<String>,
    pub is_unauthenticated: bool,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// The host of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum GitProvider {
    #[sea_orm(string_value = "github")]
    Github,
    #[sea_orm(string_value = "gitlab")]
    Gitlab,
}
