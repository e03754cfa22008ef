//! Removing exports that nobody uses.

use std::sync::Arc;

use chrono::TimeDelta;
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob};

use super::store;
use crate::areas::authoring::Authoring;

/// Removes exports that nobody has used for long.
pub struct PurgePdfExports(pub Arc<Authoring>);

impl JobKind for PurgePdfExports {
    const NAME: &'static str = "purge-pdf-exports";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(store::purge(&self.0.kernel).await?)
    }
}

impl PeriodicJob for PurgePdfExports {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
