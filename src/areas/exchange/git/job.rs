//! The job that runs the imports and exports of a space, one after the other.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::{
    ids::{JobId, NodeId},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::{
    db::{IdSource, Tx},
    jobs::{EndReason, JobContext, JobError, JobKind, NewJob, enqueue, run_again},
};
use sea_orm::DbErr;
use serde::{Deserialize, Serialize};

use super::{
    run,
    store::{self, Begun, NewOperation},
};
use crate::areas::exchange::Exchange;

/// The time after which a job looks again whether the space is free.
const PATIENCE: TimeDelta = TimeDelta::seconds(1);

/// Runs the oldest operation of a space that waits. A second run finds what the first one has done.
pub struct RunGitOperation(pub Arc<Exchange>);

#[derive(Clone, Serialize, Deserialize)]
pub struct SpaceToSync {
    pub space: NodeId,
}

/// Writes an operation that somebody asked for, with its job.
pub async fn enqueue_operation(tx: &Tx, ids: &IdSource, new: NewOperation, now: Timestamp) -> Result<(), ApiError> {
    let job = NewJob {
        id: ids.next(),
        organization: Some(new.organization),
        payload: SpaceToSync { space: new.space },
    };
    enqueue::<RunGitOperation>(tx, vec![job], now).await?;
    store::insert(tx, new, now).await
}

impl JobKind for RunGitOperation {
    const NAME: &'static str = "run-git-operation";
    const CONCURRENCY: usize = 2;
    type Payload = SpaceToSync;

    async fn run(&self, context: &JobContext, payload: SpaceToSync) -> Result<(), JobError> {
        let exchange = &self.0;
        let (sync, operation) = match store::begin(exchange, payload.space, context.id).await.map_err(later)? {
            Begun::Operation(begun) => *begun,
            Begun::Nothing => return Ok(()),
            Begun::Busy => {
                let (job, due) = (*context, exchange.kernel.clock.now().plus(PATIENCE));
                let again = move |tx: Tx| async move { run_again::<Self>(&tx, &job, due).await.map(drop) };
                return Ok(exchange.kernel.db.write(again).await?);
            }
        };
        let (id, space) = (operation.id, operation.space_id);
        let ended = Box::pin(run::run(exchange, sync, operation)).await?;
        store::finish(exchange, id, space, ended).await.map_err(later)
    }

    async fn end_without_success(
        &self,
        tx: &Tx,
        job: JobId,
        payload: SpaceToSync,
        reason: EndReason,
    ) -> Result<(), DbErr> {
        let problem = match reason {
            EndReason::Failed => "The operation could not be carried out. The log of the server has the reason.",
            EndReason::Cancelled => "The operation was cancelled.",
        };
        store::end_without_outcome(tx, payload.space, job, problem, self.0.kernel.clock.now()).await
    }
}

fn later(error: ApiError) -> JobError {
    JobError::Retryable(error.to_string())
}
