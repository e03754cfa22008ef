//! Imports of websites, archives and repositories.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{ImportRunId, JobId, NodeId, OrganizationId, UserId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "import_runs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ImportRunId,
    pub organization_id: OrganizationId,
    pub space_id: NodeId,
    pub kind: ImportSourceKind,
    /// The keys of uploaded files.
    #[sea_orm(column_type = "Json", nullable)]
    pub files: Option<Json>,
    /// The address of the source, without credentials; empty for uploaded files.
    #[sea_orm(column_type = "String(StringLen::N(2048))")]
    pub url: String,
    /// The branch of a repository, and the directory in it.
    #[sea_orm(column_type = "String(StringLen::N(255))", nullable)]
    pub reference: Option<String>,
    #[sea_orm(column_type = "String(StringLen::N(1024))", nullable)]
    pub directory: Option<String>,
    /// The address with its credentials, sealed. Null once the run has ended.
    #[sea_orm(column_type = "Blob", nullable)]
    pub secret: Option<Vec<u8>>,
    /// Whether the content of a space that has some is replaced.
    pub force: bool,
    pub status: ImportRunStatus,
    pub job_id: JobId,
    pub created_by: UserId,
    /// Why the run failed.
    #[sea_orm(column_type = "Text", nullable)]
    pub reason: Option<String>,
    /// The pages and the problems.
    #[sea_orm(column_type = "Json", nullable)]
    pub outcome: Option<Json>,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub updated_at: Timestamp,
    #[sea_orm(belongs_to, from = "organization_id", to = "id", on_delete = "Cascade")]
    pub organization: BelongsTo<crate::organizations::Entity>,
    #[sea_orm(belongs_to, from = "space_id", to = "id", on_delete = "Cascade")]
    pub space: BelongsTo<crate::library::spaces::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum ImportSourceKind {
    #[sea_orm(string_value = "file")]
    File,
    #[sea_orm(string_value = "website")]
    Website,
    #[sea_orm(string_value = "zip")]
    Zip,
    #[sea_orm(string_value = "git")]
    Git,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum ImportRunStatus {
    #[sea_orm(string_value = "pending")]
    Pending,
    #[sea_orm(string_value = "in-progress")]
    InProgress,
    #[sea_orm(string_value = "completed")]
    Completed,
    #[sea_orm(string_value = "failed")]
    Failed,
    #[sea_orm(string_value = "cancelled")]
    Cancelled,
}
