//! Removing jobs that ended long ago.

use chrono::TimeDelta;

use super::{
    kind::{JobContext, JobError, JobKind, PeriodicJob},
    queue::JobQueue,
};

/// Removes jobs that ended long ago.
pub struct PurgeJobs(pub JobQueue);

impl JobKind for PurgeJobs {
    const NAME: &'static str = "purge-jobs";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(self.0.purge().await?)
    }
}

impl PeriodicJob for PurgeJobs {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
