//! Removing requests, used assertions and sessions that have expired.

use std::sync::Arc;

use chrono::TimeDelta;
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob};

use super::store;
use crate::areas::organizations::Organizations;

/// Removes requests, used assertions and sessions that have expired.
pub struct PurgeSignIns(pub Arc<Organizations>);

impl JobKind for PurgeSignIns {
    const NAME: &'static str = "purge-sign-ins";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(store::purge(&self.0.kernel).await?)
    }
}

impl PeriodicJob for PurgeSignIns {
    const INTERVAL: TimeDelta = TimeDelta::minutes(10);
}
