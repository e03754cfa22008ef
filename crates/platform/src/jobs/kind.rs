//! Kinds of jobs.

use std::{fmt, time::Duration};

use chrono::TimeDelta;
use entity::{
    ids::{JobId, LeaseId},
    platform::jobs::Model,
    timestamp::Timestamp,
};
use futures_util::{FutureExt, future::BoxFuture};
use sea_orm::{DbErr, JsonValue};
use serde::{Serialize, de::DeserializeOwned};

use crate::db::Tx;

/// A kind of background work.
pub trait JobKind: Send + Sync + 'static {
    /// Stored with each job of this kind, so it never changes.
    const NAME: &'static str;

    /// Jobs of this kind that one process runs at once.
    const CONCURRENCY: usize = 1;

    /// The same, where it depends on the settings.
    fn concurrency(&self) -> usize {
        Self::CONCURRENCY
    }

    /// Jobs of one organization that all processes together run at once.
    const SHARE: usize = usize::MAX;

    /// Another kind whose runs count as turns of organizations here, too: it does the same work.
    const TURNS_WITH: Option<&'static str> = None;

    /// A longer run is stopped and counts as failed.
    const TIME_LIMIT: Duration = Duration::from_secs(15 * 60);

    /// Arguments of a run. They are stored as JSON, readable to everybody who can read the database.
    type Payload: Serialize + DeserializeOwned + Send;

    /// Does the work. It may be done more than once: when the process dies, and when its end cannot be recorded.
    fn run(&self, context: &JobContext, payload: Self::Payload) -> impl Future<Output = Result<(), JobError>> + Send;

    /// Writes what a job that ends without success leaves open, in the transaction that ends it.
    fn end_without_success(
        &self,
        _tx: &Tx,
        _job: JobId,
        _payload: Self::Payload,
        _reason: EndReason,
    ) -> impl Future<Output = Result<(), DbErr>> + Send {
        async { Ok(()) }
    }
}

/// Why a job ended without success.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    Failed,
    Cancelled,
}

/// A kind of which one job exists on each database. It runs once in each interval, in one of the processes.
pub trait PeriodicJob: JobKind<Payload = ()> {
    /// The time from the end of a successful run to the next run.
    const INTERVAL: TimeDelta;
}

/// The job that is run.
#[derive(Debug, Clone, Copy)]
pub struct JobContext {
    pub id: JobId,
    /// The lease under which it runs.
    pub lease: Option<LeaseId>,
    pub created_at: Timestamp,
    /// 1 for the first run.
    pub attempt: i32,
}

/// The failure of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobError {
    /// Another attempt may succeed.
    Retryable(String),
    /// No attempt can succeed.
    Permanent(String),
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retryable(message) | Self::Permanent(message) => f.write_str(message),
        }
    }
}

impl From<DbErr> for JobError {
    fn from(error: DbErr) -> Self {
        Self::Retryable(error.to_string())
    }
}

impl From<anyhow::Error> for JobError {
    fn from(error: anyhow::Error) -> Self {
        Self::Retryable(format!("{error:#}"))
    }
}

/// A [`JobKind`] whose payload is still JSON, so that different kinds fit into one list.
pub(super) trait StoredKind: Send + Sync {
    fn name(&self) -> &'static str;
    fn concurrency(&self) -> usize;
    fn share(&self) -> usize;
    fn turns_with(&self) -> Option<&'static str>;
    fn time_limit(&self) -> Duration;
    fn run_stored<'a>(&'a self, context: &'a JobContext, payload: JsonValue) -> BoxFuture<'a, Result<(), JobError>>;
    fn end_stored<'a>(&'a self, tx: &'a Tx, job: &'a Model, reason: EndReason) -> BoxFuture<'a, Result<(), DbErr>>;
}

impl<K: JobKind> StoredKind for K {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn concurrency(&self) -> usize {
        JobKind::concurrency(self)
    }

    fn share(&self) -> usize {
        K::SHARE
    }

    fn turns_with(&self) -> Option<&'static str> {
        K::TURNS_WITH
    }

    fn time_limit(&self) -> Duration {
        K::TIME_LIMIT
    }

    fn run_stored<'a>(&'a self, context: &'a JobContext, payload: JsonValue) -> BoxFuture<'a, Result<(), JobError>> {
        async move {
            // Retryable: a process of another version may have written the payload and be able to read it.
            let payload = serde_json::from_value(payload)
                .map_err(|error| JobError::Retryable(format!("the payload cannot be read: {error}")))?;
            self.run(context, payload).await
        }
        .boxed()
    }

    fn end_stored<'a>(&'a self, tx: &'a Tx, job: &'a Model, reason: EndReason) -> BoxFuture<'a, Result<(), DbErr>> {
        async move {
            match serde_json::from_value(job.payload.clone()) {
                Ok(payload) => self.end_without_success(tx, job.id, payload, reason).await,
                Err(error) => {
                    tracing::warn!(job = %job.id, %error, "the payload of a job that ended cannot be read");
                    Ok(())
                }
            }
        }
        .boxed()
    }
}
