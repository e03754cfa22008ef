//! The job that runs an import.

use std::sync::Arc;

use entity::{
    exchange::import_runs::ImportRunStatus,
    ids::{ImportRunId, JobId},
    timestamp::Timestamp,
};
use platform::{
    db::Tx,
    jobs::{EndReason, JobContext, JobError, JobKind},
};
use sea_orm::DbErr;
use serde::{Deserialize, Serialize};

use super::{run, store};
use crate::areas::exchange::Exchange;

/// Runs an import. A second run begins anew, unless the first one has written what it read.
pub struct RunImport(pub Arc<Exchange>);

#[derive(Clone, Serialize, Deserialize)]
pub struct ImportToRun {
    pub run: ImportRunId,
}

impl JobKind for RunImport {
    const NAME: &'static str = "run-import";
    const CONCURRENCY: usize = 2;
    const SHARE: usize = 1;
    type Payload = ImportToRun;

    async fn run(&self, context: &JobContext, payload: ImportToRun) -> Result<(), JobError> {
        let (exchange, job) = (&self.0, context.id);
        let now = exchange.kernel.clock.now();
        let begin = move |tx: Tx| async move {
            match store::lock_active(&tx, payload.run, job).await? {
                Some(row) => store::begin(&tx, row, now).await.map(Some),
                None => Ok::<_, DbErr>(None),
            }
        };
        let Some(row) = exchange.kernel.db.write(begin).await? else {
            return Ok(());
        };
        let id = row.id;
        let reason = match Box::pin(run::run(exchange, row)).await {
            Ok(()) => return Ok(()),
            Err(error) => error.problem()?,
        };
        let now = exchange.kernel.clock.now();
        let work = move |tx: Tx| async move { end(&tx, (id, job), ImportRunStatus::Failed, Some(reason), now).await };
        Ok(exchange.kernel.db.write(work).await?)
    }

    async fn end_without_success(
        &self,
        tx: &Tx,
        job: JobId,
        payload: ImportToRun,
        reason: EndReason,
    ) -> Result<(), DbErr> {
        let (status, reason) = match reason {
            EndReason::Failed => {
                let reason = "The import could not be carried out. The log of the server has the reason.";
                (ImportRunStatus::Failed, Some(reason.to_owned()))
            }
            EndReason::Cancelled => (ImportRunStatus::Cancelled, None),
        };
        end(tx, (payload.run, job), status, reason, self.0.kernel.clock.now()).await
    }
}

/// Ends a run without a result, unless it has ended.
async fn end(
    tx: &Tx,
    (id, job): (ImportRunId, JobId),
    status: ImportRunStatus,
    reason: Option<String>,
    now: Timestamp,
) -> Result<(), DbErr> {
    match store::lock_active(tx, id, job).await? {
        Some(row) => store::end(tx, row, status, reason, now).await.map(drop),
        None => Ok(()),
    }
}
