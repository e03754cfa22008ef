//! The job that makes a version of a source.

use std::time::Duration;

use platform::jobs::{JobContext, JobError, JobKind};

use super::{
    processing,
    store::{self, SpecToProcess},
};
use crate::app::App;

/// Processes the source of a specification. A second run makes the same document, which is no further version.
pub struct ProcessSpec(pub App);

impl JobKind for ProcessSpec {
    const NAME: &'static str = "process-openapi-spec";
    const CONCURRENCY: usize = 2;
    const TIME_LIMIT: Duration = Duration::from_secs(5 * 60);
    type Payload = SpecToProcess;

    async fn run(&self, _: &JobContext, spec: SpecToProcess) -> Result<(), JobError> {
        let app = &self.0;
        let Some(row) = store::begin(app, spec).await? else {
            return Ok(());
        };
        let outcome = processing::process(app, row).await?;
        Ok(store::finish(app, spec, outcome).await?)
    }
}
