//! Runs of translations, in the background.
//!
//! A run reads the present content of the source, has the segments translated that the memory does not know, and makes
//! from them the content that the result would have if nobody else wrote there. That content is merged into the result:
//! base is what the run before made. So what people changed in the result stays, and where the source has changed
//! below such a change, the new translation becomes a change request.

mod context;
mod memory;
mod pages;
mod publish;
mod rest;
pub mod start_job;
mod texts;

use std::{sync::Arc, time::Duration};

use entity::{
    ids::{JobId, TranslationId},
    languages::translations::{Column, Entity, Model, TranslationStatus},
    platform::jobs::{self, JobState},
    timestamp::Timestamp,
};
use openapi::error::{ApiError, ErrorType};
use platform::{
    db::Tx,
    jobs::{EndReason, JobContext, JobError, JobKind, NewJob, cancel as cancel_job, enqueue as enqueue_jobs, make_due},
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect, sea_query::Expr,
};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use translation::engine::EngineError;

use self::{
    context::RunContext,
    memory::{Memory, MemoryError},
};
use super::store;

use crate::{areas::languages::Languages, kernel::Kernel};

/// Attempts after which a run ends with what the engine has translated so far.
const MAX_ATTEMPTS: i32 = 4;

/// A run of a translation whose source has more bytes of titles, descriptions and settings is large.
const LARGE_BYTES: u64 = 8 * 1024 * 1024;

/// Runs a translation.
pub struct RunTranslation {
    languages: Arc<Languages>,
    /// Large runs are made one at a time: each has all pages of its source in memory.
    turns_of_large: Semaphore,
}

impl RunTranslation {
    pub fn new(languages: Arc<Languages>) -> Self {
        Self {
            languages,
            turns_of_large: Semaphore::new(1),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub struct Run {
    translation: TranslationId,
}

impl JobKind for RunTranslation {
    const NAME: &'static str = "run-translation";
    const CONCURRENCY: usize = 2;
    const TIME_LIMIT: Duration = Duration::from_secs(6 * 60 * 60);
    type Payload = Run;

    async fn run(&self, context: &JobContext, run: Run) -> Result<(), JobError> {
        Box::pin(run_translation(
            (&self.languages, &self.turns_of_large),
            context,
            run.translation,
        ))
        .await
    }

    async fn end_without_success(&self, tx: &Tx, job: JobId, run: Run, reason: EndReason) -> Result<(), DbErr> {
        // A run ends before its job.
        let open = Entity::find_by_id(run.translation)
            .filter(Column::JobId.eq(job))
            .filter(Column::Status.ne(TranslationStatus::Completed));
        match open.lock_exclusive().one(tx).await? {
            Some(row) => end_early(tx, row, reason, self.languages.kernel.clock.now()).await,
            None => Ok(()),
        }
    }
}

/// Records the end of a run that did not succeed.
async fn end_early(tx: &Tx, row: Model, reason: EndReason, now: Timestamp) -> Result<(), DbErr> {
    let problem = match reason {
        EndReason::Failed => "The run failed. The log of the server has the reason.",
        EndReason::Cancelled => "The run was cancelled.",
    };
    let ended = Model {
        status: TranslationStatus::Completed,
        problem: Some(problem.to_owned()),
        run_again: false,
        updated_at: now,
        ..row
    };
    ended.into_active_model().reset_all().update(tx).await.map(drop)
}

/// Ends the run that waits or runs, and one that would begin by itself. Returns whether there was one.
pub async fn cancel(tx: &Tx, row: Model, now: Timestamp) -> Result<bool, DbErr> {
    if row.status == TranslationStatus::Completed && row.next_run_at.is_none() {
        return Ok(false);
    }
    cancel_job(tx, row.job_id, now).await?;
    let row = Model {
        next_run_at: None,
        ..row
    };
    end_early(tx, row, EndReason::Cancelled, now).await?;
    Ok(true)
}

pub async fn enqueue(tx: &Tx, id: JobId, row: &Model, now: Timestamp) -> Result<(), DbErr> {
    let job = NewJob {
        id,
        organization: Some(row.organization_id),
        payload: Run { translation: row.id },
    };
    enqueue_jobs::<RunTranslation>(tx, vec![job], now).await
}

/// Has a translation run with the present content of its source. Runs of one translation follow each other: two at once
/// would pay for the same segments, and one of them would be lost. Returns whether anything has changed.
pub async fn enqueue_run(tx: &Tx, row: Model, job: JobId, now: Timestamp) -> Result<bool, DbErr> {
    let mut changed = Model {
        next_run_at: None,
        ..row.clone()
    };
    let is_hurried = match active_job(tx, &row).await? {
        None => {
            enqueue(tx, job, &row, now).await?;
            changed.job_id = job;
            changed.status = TranslationStatus::Pending;
            false
        }
        Some((JobState::Queued, 0)) => false,
        // Each attempt begins with the present content.
        Some((JobState::Queued, _)) => make_due(tx, row.job_id, now).await?,
        Some(_) => {
            changed.run_again = true;
            false
        }
    };
    if changed == row && !is_hurried {
        return Ok(false);
    }
    changed.updated_at = now;
    changed.into_active_model().reset_all().update(tx).await?;
    Ok(true)
}

/// The state and the attempts of the job of a run that has not ended. A run has ended before its job, which is told of it in
/// a transaction of its own.
async fn active_job(tx: &Tx, row: &Model) -> Result<Option<(JobState, i32)>, DbErr> {
    if row.status == TranslationStatus::Completed {
        return Ok(None);
    }
    let active = jobs::Entity::find_by_id(row.job_id).filter(jobs::Column::NextAttemptAt.is_not_null());
    let columns = active
        .select_only()
        .columns([jobs::Column::State, jobs::Column::Attempts]);
    columns.into_tuple().one(tx).await
}

/// The translation after the end of its run; enqueues the one that follows.
async fn with_following_run(tx: &Tx, row: Model, job: JobId, now: Timestamp) -> Result<Model, DbErr> {
    if !row.run_again {
        return Ok(Model {
            status: TranslationStatus::Completed,
            ..row
        });
    }
    enqueue(tx, job, &row, now).await?;
    Ok(Model {
        job_id: job,
        run_again: false,
        status: TranslationStatus::Pending,
        ..row
    })
}

async fn run_translation(
    (languages, turns_of_large): (&Languages, &Semaphore),
    job: &JobContext,
    translation: TranslationId,
) -> Result<(), JobError> {
    let Some(row) = begin(&languages.kernel, translation, job.id).await? else {
        return Ok(());
    };
    let load = async || {
        RunContext::load(languages, row.clone(), job.id)
            .await
            .map_err(retryable)
    };
    let (mut run, mut _turn) = (load().await?, None);
    if run.as_ref().is_some_and(|run| run.source.snapshot.bytes > LARGE_BYTES) {
        drop(run);
        _turn = Some(turns_of_large.acquire().await.map_err(anyhow::Error::from)?);
        run = load().await?;
    }
    let Some(run) = run else {
        return end_without_work(&languages.kernel, row, job.id).await;
    };
    let started = languages.kernel.clock.now();
    let mut memory = Memory::new(&run).await.map_err(retryable)?;
    let work = run.work().await.map_err(retryable)?;
    if let Err(error) = texts::translate(&run, &work, &mut memory).await {
        match error {
            MemoryError::Engine(error @ EngineError::Unavailable(_)) if job.attempt < MAX_ATTEMPTS => {
                return Err(JobError::Retryable(error.to_string()));
            }
            MemoryError::Engine(error) => memory.problem = Some(error.to_string()),
            MemoryError::Api(error) => return Err(retryable(error)),
        }
    }
    let made = pages::make(&run, work, &memory).await.map_err(retryable)?;
    let seconds = (languages.kernel.clock.now().to_utc() - started.to_utc())
        .num_seconds()
        .max(0);
    match publish::publish(&run, made, (memory.problem, seconds)).await {
        // Another attempt would lead to content of the same size.
        Err(error) if error.kind() == ErrorType::ContentTooLarge => {
            end_without_result(&languages.kernel, row, job.id, error.to_string()).await
        }
        ended => ended.map_err(retryable),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn retryable(error: ApiError) -> JobError {
    JobError::Retryable(error.to_string())
}

/// Marks the translation as running. `None`: it was deleted, or another job runs it.
async fn begin(kernel: &Kernel, translation: TranslationId, job: JobId) -> Result<Option<Model>, DbErr> {
    let work = move |tx: Tx| async move {
        Entity::update_many()
            .col_expr(Column::Status, Expr::value(TranslationStatus::Running))
            .filter(Column::Id.eq(translation))
            .filter(Column::JobId.eq(job))
            .exec(&tx)
            .await?;
        let of_job = Entity::find_by_id(translation).filter(Column::JobId.eq(job));
        of_job.one(&tx).await
    };
    kernel.db.write(work).await
}

/// Ends the run of a translation whose source or result is deleted.
async fn end_without_work(kernel: &Kernel, row: Model, job: JobId) -> Result<(), JobError> {
    let now = kernel.clock.now();
    let work = move |tx: Tx| async move {
        Entity::update_many()
            .col_expr(Column::Status, Expr::value(TranslationStatus::Completed))
            .col_expr(Column::RunAgain, Expr::value(false))
            .col_expr(Column::UpdatedAt, Expr::value(now))
            .filter(Column::Id.eq(row.id))
            .filter(Column::JobId.eq(job))
            .exec(&tx)
            .await
            .map(drop)
    };
    Ok(kernel.db.write(work).await?)
}

/// Ends a run whose result cannot be written, and enqueues the one that follows.
async fn end_without_result(kernel: &Kernel, row: Model, job: JobId, problem: String) -> Result<(), JobError> {
    let (next_job, now) = (kernel.ids.next(), kernel.clock.now());
    let work = move |tx: Tx| async move {
        let found = store::find_locked(&tx, row.organization_id, row.id).await?;
        let is_of_run = |present: &Model| present.status == TranslationStatus::Running && present.job_id == job;
        let Some(present) = found.filter(is_of_run) else {
            return Ok::<_, DbErr>(());
        };
        let ended = Model {
            problem: Some(problem),
            updated_at: now,
            ..present
        };
        let ended = with_following_run(&tx, ended, next_job, now).await?;
        ended.into_active_model().reset_all().update(&tx).await.map(drop)
    };
    kernel.db.write(work).await?;
    kernel.jobs.wake();
    Ok(())
}
