//! The job that makes a version of a source.

use std::{sync::Arc, time::Duration};

use entity::ids::JobId;
use platform::{
    db::Tx,
    jobs::{EndReason, JobContext, JobError, JobKind},
};
use sea_orm::DbErr;
use tokio::sync::Semaphore;

use super::{
    problems::{StoredProblem, StoredProblems},
    processing::{self, TurnOfLarge},
    store::{self, SpecToProcess},
};

use crate::areas::specifications::Specifications;

/// Processes the source of a specification. A second run makes the same document, which is no further version.
pub struct ProcessSpec {
    specifications: Arc<Specifications>,
    turns_of_large: Semaphore,
}

impl ProcessSpec {
    pub fn new(specifications: Arc<Specifications>) -> Self {
        Self {
            specifications,
            turns_of_large: Semaphore::new(1),
        }
    }
}

impl JobKind for ProcessSpec {
    const NAME: &'static str = "process-openapi-spec";
    const CONCURRENCY: usize = 2;
    const TIME_LIMIT: Duration = Duration::from_secs(5 * 60);
    type Payload = SpecToProcess;

    async fn run(&self, _: &JobContext, spec: SpecToProcess) -> Result<(), JobError> {
        let specifications = &self.specifications;
        let Some(row) = store::begin(&specifications.kernel, spec).await? else {
            return Ok(());
        };
        let outcome = processing::process(&specifications.kernel, row, TurnOfLarge::new(&self.turns_of_large)).await?;
        Ok(store::finish(&specifications.kernel, spec, outcome).await?)
    }

    async fn end_without_success(
        &self,
        tx: &Tx,
        _: JobId,
        spec: SpecToProcess,
        reason: EndReason,
    ) -> Result<(), DbErr> {
        let message = match reason {
            EndReason::Failed => "The specification could not be processed. The log of the server has the reason.",
            EndReason::Cancelled => "The processing was cancelled.",
        };
        let problems = StoredProblems::all(vec![StoredProblem::new(message.to_owned())]);
        let problems = problems.map_err(|error| DbErr::Json(error.to_string()))?;
        store::end_without_outcome(tx, spec, problems, self.specifications.kernel.clock.now()).await
    }
}
