//! Removing spaces and collections for good that were deleted long enough ago.

use std::sync::Arc;

use chrono::TimeDelta;
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob};

use super::purge;
use crate::areas::library::Library;

/// Removes spaces and collections that can no longer be restored.
pub struct PurgeDeletedNodes(pub Arc<Library>);

impl JobKind for PurgeDeletedNodes {
    const NAME: &'static str = "purge-deleted-spaces";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(purge::purge(&self.0.kernel).await?)
    }
}

impl PeriodicJob for PurgeDeletedNodes {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
