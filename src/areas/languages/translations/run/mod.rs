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
mod texts;

use std::time::Duration;

use entity::{
    ids::{JobId, TranslationId},
    jobs::{self, JobState},
    timestamp::Timestamp,
    translations::{Column, Entity, Model, TranslationStatus},
};
use openapi::error::ApiError;
use platform::{
    db::Tx,
    jobs::{JobContext, JobError, JobKind, enqueue as enqueue_jobs},
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, SelectExt, sea_query::Expr,
};
use serde::{Deserialize, Serialize};
use translation::engine::EngineError;

use self::{
    context::RunContext,
    memory::{Memory, MemoryError},
};
use crate::app::App;

/// Attempts after which a run ends with what the engine has translated so far.
const MAX_ATTEMPTS: i32 = 4;

/// Runs a translation.
pub struct RunTranslation(pub App);

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
        Box::pin(run_translation(&self.0, context, run.translation)).await
    }
}

pub async fn enqueue(tx: &Tx, job: JobId, translation: TranslationId, now: Timestamp) -> Result<(), DbErr> {
    enqueue_jobs::<RunTranslation>(tx, vec![(job, Run { translation })], now).await
}

/// Enqueues a run, unless one waits to begin. Returns whether it was enqueued.
pub async fn enqueue_run(tx: &Tx, row: Model, job: JobId, now: Timestamp) -> Result<bool, DbErr> {
    let waiting = jobs::Entity::find_by_id(row.job_id)
        .filter(jobs::Column::State.eq(JobState::Queued))
        .filter(jobs::Column::Attempts.eq(0));
    if waiting.exists(tx).await? {
        return Ok(false);
    }
    enqueue(tx, job, row.id, now).await?;
    let changed = Model {
        job_id: job,
        status: TranslationStatus::Pending,
        updated_at: now,
        ..row
    };
    changed.into_active_model().reset_all().update(tx).await?;
    Ok(true)
}

async fn run_translation(app: &App, job: &JobContext, translation: TranslationId) -> Result<(), JobError> {
    let started = app.clock.now();
    let Some(row) = begin(app, translation).await? else {
        return Ok(());
    };
    let run = RunContext::load(app, row.clone(), job.id).await.map_err(retryable)?;
    let Some(run) = run else {
        return end_without_work(app, row, job.id).await;
    };
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
    let seconds = (app.clock.now().to_utc() - started.to_utc()).num_seconds().max(0);
    publish::publish(&run, made, (memory.problem, seconds))
        .await
        .map_err(retryable)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn retryable(error: ApiError) -> JobError {
    JobError::Retryable(error.to_string())
}

/// Marks the translation as running. `None`: it was deleted.
async fn begin(app: &App, translation: TranslationId) -> Result<Option<Model>, DbErr> {
    let work = move |tx: Tx| async move {
        Entity::update_many()
            .col_expr(Column::Status, Expr::value(TranslationStatus::Running))
            .filter(Column::Id.eq(translation))
            .exec(&tx)
            .await?;
        Entity::find_by_id(translation).one(&tx).await
    };
    app.db.write(work).await
}

/// Ends the run of a translation whose source or result is deleted.
async fn end_without_work(app: &App, row: Model, job: JobId) -> Result<(), JobError> {
    let now = app.clock.now();
    let work = move |tx: Tx| async move {
        Entity::update_many()
            .col_expr(Column::Status, Expr::value(TranslationStatus::Completed))
            .col_expr(Column::UpdatedAt, Expr::value(now))
            .filter(Column::Id.eq(row.id))
            .filter(Column::JobId.eq(job))
            .exec(&tx)
            .await
            .map(drop)
    };
    Ok(app.db.write(work).await?)
}
