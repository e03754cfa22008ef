//! Removing invite links that have expired.

use chrono::TimeDelta;
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob};

use super::store;
use crate::app::App;

/// Removes invite links that have expired.
pub struct PurgeExpiredInvites(pub App);

impl JobKind for PurgeExpiredInvites {
    const NAME: &'static str = "purge-expired-invites";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(store::purge(&self.0).await?)
    }
}

impl PeriodicJob for PurgeExpiredInvites {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
