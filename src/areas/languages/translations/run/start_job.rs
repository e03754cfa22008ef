//! Runs that begin by themselves after the source has changed.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::{
    languages::translations::{Column, Entity, Model},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::{
    db::Tx,
    jobs::{JobContext, JobError, JobKind, PeriodicJob},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde_json::json;

use crate::{
    areas::languages::{
        Languages,
        translations::{store, target},
    },
    kernel::{
        Kernel,
        audit::{Changed, SystemAction},
    },
};

/// Translations that are read at once.
const BATCH: u64 = 100;

/// Starts the runs that are due: see [`crate::areas::languages::translation_runs`].
pub struct StartTranslationRuns(pub Arc<Languages>);

impl JobKind for StartTranslationRuns {
    const NAME: &'static str = "start-translation-runs";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let languages = &self.0;
        let now = languages.kernel.clock.now();
        loop {
            let due: Vec<Model> = Entity::find()
                .filter(Column::NextRunAt.lte(now))
                .order_by_asc(Column::NextRunAt)
                .limit(BATCH)
                .all(languages.kernel.db.read())
                .await?;
            if due.is_empty() {
                languages.kernel.jobs.wake();
                return Ok(());
            }
            for row in due {
                let started = start(&languages.kernel, row, now).await;
                started.map_err(|error| JobError::Retryable(error.to_string()))?;
            }
        }
    }
}

impl PeriodicJob for StartTranslationRuns {
    const INTERVAL: TimeDelta = TimeDelta::minutes(1);
}

async fn start(kernel: &Kernel, row: Model, now: Timestamp) -> Result<(), ApiError> {
    let job = kernel.ids.next();
    let work = move |tx: Tx| async move {
        let found = store::find_locked(&tx, row.organization_id, row.id).await?;
        let Some(row) = found.filter(|row| row.next_run_at.is_some_and(|due| due <= now)) else {
            return Ok(Changed::nothing(()));
        };
        let target = target(&row);
        super::enqueue_run(&tx, row, job, now).await?;
        Changed::of(target, ()).with(json!({ "job": job }))
    };
    kernel.write(SystemAction::StartTranslationRun, work).await
}
