//! Removing invite links that have expired.

use std::sync::Arc;

use chrono::TimeDelta;
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob};

use super::store;
use crate::areas::library::Library;

/// Removes invite links that have expired.
pub struct PurgeExpiredInvites(pub Arc<Library>);

impl JobKind for PurgeExpiredInvites {
    const NAME: &'static str = "purge-expired-invites";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(store::purge(&self.0.kernel).await?)
    }
}

impl PeriodicJob for PurgeExpiredInvites {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
