//! Background work: jobs that wait, run or have ended.

use sea_orm::entity::prelude::*;

use crate::{
    ids::{JobId, LeaseId, OrganizationId},
    timestamp::Timestamp,
};

#[sea_orm::model]
#[derive(Debug, Clone, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "jobs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: JobId,
    #[sea_orm(column_type = "String(StringLen::N(64))")]
    pub kind: String,
    /// The kind again for the one job of a periodic kind, otherwise null: a kind has at most one periodic job.
    #[sea_orm(unique, column_type = "String(StringLen::N(64))", nullable)]
    pub periodic_kind: Option<String>,
    /// The organization whose work it is, which may be gone. Null: it takes no turns with others.
    pub organization_id: Option<OrganizationId>,
    /// Arguments of the run; null once the job has succeeded or was cancelled.
    #[sea_orm(column_type = "Json")]
    pub payload: Json,
    pub state: JobState,
    /// Number of runs that were begun; of a periodic job, since its last success.
    pub attempts: i32,
    /// The time from which a process may run the job: when a queued job is due, when the lease of a running job ends. Null
    /// once the job has ended.
    pub next_attempt_at: Option<Timestamp>,
    /// The lease of the process that runs the job. A process that has lost its lease may not change the job any more.
    pub lease_id: Option<LeaseId>,
    /// The error of the last run.
    #[sea_orm(column_type = "Text", nullable)]
    pub last_error: Option<String>,
    /// The request that the work follows from.
    #[sea_orm(column_type = "String(StringLen::N(128))", nullable)]
    pub request_id: Option<String>,
    pub created_at: Timestamp,
    /// The time at which the last run was begun: the last time that the organization had its turn.
    pub started_at: Option<Timestamp>,
    /// End of the job; of a periodic job, its last success.
    pub finished_at: Option<Timestamp>,
}

impl ActiveModelBehavior for ActiveModel {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(16))")]
pub enum JobState {
    #[sea_orm(string_value = "queued")]
    Queued,
    #[sea_orm(string_value = "running")]
    Running,
    #[sea_orm(string_value = "succeeded")]
    Succeeded,
    #[sea_orm(string_value = "failed")]
    Failed,
    #[sea_orm(string_value = "cancelled")]
    Cancelled,
}
