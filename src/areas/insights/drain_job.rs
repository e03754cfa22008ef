//! The job that gives the batches of the inbox to the engine.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::ids::SiteId;
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob};

use super::{Insights, engine::EngineError, inbox};

/// Stores the events of all batches.
pub struct DrainInsights(pub Arc<Insights>);

impl JobKind for DrainInsights {
    const NAME: &'static str = "drain-insights";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        for site in inbox::sites(self.0.kernel.db.read()).await? {
            match drain(&self.0, site).await {
                // Whoever took the chunk goes on with it, or the site was deleted.
                Err(EngineError::Stale) => {}
                other => other?,
            }
        }
        Ok(())
    }
}

impl PeriodicJob for DrainInsights {
    const INTERVAL: TimeDelta = TimeDelta::seconds(15);
}

/// Stores the batches of a site.
pub(super) async fn drain(insights: &Insights, site: SiteId) -> Result<(), EngineError> {
    while let Some(chunk) = inbox::next_chunk(&insights.kernel, site).await? {
        // Another process may have stored the chunk meanwhile.
        if chunk.batches > 0 {
            insights.engine.store(chunk).await?;
        }
    }
    insights.engine.tidy(site).await
}
