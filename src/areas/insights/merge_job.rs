//! The job that keeps what the engine has stored quick to read.

use std::sync::Arc;

use chrono::TimeDelta;
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob};

use super::Insights;

/// Merges what was stored of late. It takes more time than to store it, so the job that drains the inbox does not wait for it.
pub struct MergeInsights(pub Arc<Insights>);

impl JobKind for MergeInsights {
    const NAME: &'static str = "merge-insights";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(self.0.engine.merge().await?)
    }
}

impl PeriodicJob for MergeInsights {
    const INTERVAL: TimeDelta = TimeDelta::seconds(30);
}
