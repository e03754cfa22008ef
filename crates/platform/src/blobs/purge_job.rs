//! Removing blobs that no space holds, periodically.

use chrono::TimeDelta;

use super::BlobStore;
use crate::jobs::{JobContext, JobError, JobKind, PeriodicJob};

/// Removes blobs that no space holds.
pub struct PurgeBlobs(pub BlobStore);

impl JobKind for PurgeBlobs {
    const NAME: &'static str = "purge-blobs";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(self.0.purge().await?)
    }
}

impl PeriodicJob for PurgeBlobs {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
