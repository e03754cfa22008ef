//! The queue as one process sees it.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::{
    ids::JobId,
    platform::jobs::{Column, Entity, JobState, Model},
    timestamp::Timestamp,
};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};
use tokio::sync::Notify;

use super::{
    jobs_table::{self, Claimed, Places},
    kind::{EndReason, JobError, JobKind},
    registry::{Kinds, RegisteredKind},
};
use crate::db::{Clock, Db, IdSource, Tx};

/// Retention of succeeded and cancelled jobs.
const ENDED_KEPT_FOR: TimeDelta = TimeDelta::days(30);

/// Retention of failed jobs, for operators to look at.
const FAILED_KEPT_FOR: TimeDelta = TimeDelta::days(90);

/// The jobs of the database: a cheap handle, cloned wherever it is needed.
#[derive(Clone)]
pub struct JobQueue {
    db: Db,
    clock: Clock,
    ids: IdSource,
    woken: Arc<Notify>,
}

/// A job as operators see it: without its payload.
#[derive(Debug, Clone, PartialEq, FromQueryResult)]
pub struct JobSummary {
    pub id: JobId,
    pub kind: String,
    pub state: JobState,
    pub attempts: i32,
    pub next_attempt_at: Option<Timestamp>,
    pub last_error: Option<String>,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// Jobs to list.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    pub kind: Option<String>,
    /// `None`: jobs that are queued, running or failed.
    pub state: Option<JobState>,
}

/// The answer to a request to cancel a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancellation {
    Cancelled,
    /// No job has the id.
    Unknown,
    /// The job has ended in this state.
    Ended(JobState),
    /// Periodic jobs cannot be cancelled.
    Periodic,
}

impl JobQueue {
    pub fn new(db: Db, clock: Clock, ids: IdSource) -> Self {
        Self {
            db,
            clock,
            ids,
            woken: Arc::new(Notify::new()),
        }
    }

    /// Lets the runner of this process look for due jobs at once. Called after the transaction that wrote a job; runners of
    /// other processes find the job when they poll.
    pub fn wake(&self) {
        self.woken.notify_one();
    }

    pub(super) async fn woken(&self) {
        self.woken.notified().await;
    }

    /// Returns whether a job of a kind is due and waits for a place.
    pub async fn waits<K: JobKind>(&self) -> Result<bool, DbErr> {
        jobs_table::is_due(self.db.read(), K::NAME, self.clock.now()).await
    }

    /// Takes the lease of up to `limit` jobs of a kind that are due.
    pub(super) async fn claim(&self, registered: &RegisteredKind, limit: usize) -> Result<Vec<Model>, DbErr> {
        let (kind, now) = (Arc::clone(&registered.kind), self.clock.now());
        // Usually nothing is due, and reading is enough to know that.
        if !jobs_table::is_due(self.db.read(), kind.name(), now).await? {
            return Ok(Vec::new());
        }
        let lease = self.ids.next();
        let work = move |tx: Tx| async move {
            let places = Places {
                kind: kind.name(),
                turns_with: kind.turns_with(),
                limit,
                share: kind.share(),
            };
            let Claimed { jobs, exhausted } = jobs_table::claim(&tx, places, lease, now).await?;
            for job in &exhausted {
                kind.end_stored(&tx, job, EndReason::Failed).await?;
            }
            Ok(jobs)
        };
        self.db.write(work).await
    }

    /// Renews the lease of a running job when it is time to. Returns whether the lease is still held.
    pub(super) async fn keep_lease(&self, job: &Model) -> Result<bool, DbErr> {
        let now = self.clock.now();
        let Some(end) = jobs_table::lease_end(self.db.read(), job).await? else {
            return Ok(false);
        };
        if !jobs_table::needs_renewal(end, now) {
            return Ok(true);
        }
        let job = job.clone();
        let work = move |tx| async move { jobs_table::renew(&tx, &job, now).await };
        self.db.write(work).await
    }

    /// `interval` is that of a periodic kind.
    pub(super) async fn record_success(&self, job: &Model, interval: Option<TimeDelta>) -> Result<(), DbErr> {
        let (job, now) = (job.clone(), self.clock.now());
        let work = move |tx| async move { jobs_table::record_success(&tx, &job, interval, now).await };
        self.db.write(work).await
    }

    /// Stores the error, and the time of the next attempt if there is to be one.
    pub(super) async fn record_failure(
        &self,
        registered: &RegisteredKind,
        job: &Model,
        error: &JobError,
    ) -> Result<(), DbErr> {
        let (registered, job, error, now) = (registered.clone(), job.clone(), error.clone(), self.clock.now());
        let work = move |tx: Tx| async move {
            let RegisteredKind { kind, interval } = registered;
            if jobs_table::record_failure(&tx, &job, &error, interval, now).await? {
                kind.end_stored(&tx, &job, EndReason::Failed).await?;
            }
            Ok(())
        };
        self.db.write(work).await
    }

    /// Creates the jobs of periodic kinds that have none yet; they are due at once.
    pub(super) async fn create_periodic(&self, kinds: Vec<&'static str>) -> Result<(), DbErr> {
        let existing = jobs_table::periodic(self.db.read(), &kinds).await?;
        let missing = kinds
            .into_iter()
            .filter(|kind| !existing.iter().any(|known| known == kind));
        let missing: Vec<_> = missing.map(|kind| (self.ids.next(), kind)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let work = move |tx| async move { jobs_table::insert_periodic(&tx, missing, now).await };
        self.db.write(work).await
    }

    /// The newest jobs first.
    pub async fn list(&self, filter: JobFilter, limit: u64) -> Result<Vec<JobSummary>, DbErr> {
        let states = match filter.state {
            Some(state) => vec![state],
            None => vec![JobState::Queued, JobState::Running, JobState::Failed],
        };
        Entity::find()
            .select_only()
            .columns([Column::Id, Column::Kind, Column::State, Column::Attempts])
            .columns([Column::NextAttemptAt, Column::LastError])
            .columns([Column::CreatedAt, Column::FinishedAt])
            .filter(Column::State.is_in(states))
            .apply_if(filter.kind, |jobs, kind| jobs.filter(Column::Kind.eq(kind)))
            .order_by_desc(Column::Id)
            .limit(limit)
            .into_model()
            .all(self.db.read())
            .await
    }

    /// Cancels a job that is queued or running. The process that runs it stops it within seconds.
    pub async fn cancel(&self, id: JobId, kinds: &Kinds) -> Result<Cancellation, DbErr> {
        let (kinds, now) = (kinds.clone(), self.clock.now());
        self.db
            .write(move |tx: Tx| async move {
                let Some(job) = Entity::find_by_id(id).one(&tx).await? else {
                    return Ok(Cancellation::Unknown);
                };
                if job.periodic_kind.is_some() {
                    return Ok(Cancellation::Periodic);
                }
                if job.next_attempt_at.is_none() {
                    return Ok(Cancellation::Ended(job.state));
                }
                jobs_table::cancel(&tx, id, now).await?;
                if let Some(registered) = kinds.find(&job.kind) {
                    registered.kind.end_stored(&tx, &job, EndReason::Cancelled).await?;
                }
                Ok(Cancellation::Cancelled)
            })
            .await
    }

    /// Removes jobs that ended long ago, in steps that do not keep other writes waiting.
    pub async fn purge(&self) -> Result<(), DbErr> {
        let now = self.clock.now();
        let ended = [JobState::Succeeded, JobState::Cancelled];
        let old = |states: &[JobState], kept_for: TimeDelta| {
            Condition::all()
                .add(Column::State.is_in(states.iter().copied()))
                .add(Column::FinishedAt.lt(now.plus(-kept_for)))
        };
        let old = Condition::any()
            .add(old(&ended, ENDED_KEPT_FOR))
            .add(old(&[JobState::Failed], FAILED_KEPT_FOR));
        loop {
            let ids = jobs_table::some_ids(self.db.read(), old.clone()).await?;
            if ids.is_empty() {
                return Ok(());
            }
            let work = move |tx| async move {
                let removed = Entity::delete_many().filter(Column::Id.is_in(ids));
                removed.exec(&tx).await.map(drop)
            };
            self.db.write(work).await?;
        }
    }
}
