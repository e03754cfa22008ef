//! The job that gives the batches of the inbox to the engine.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::ids::SiteId;
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob};

use super::{Insights, engine::EngineError, inbox};

/// Chunks of a site before the next site has its turn.
const CHUNKS_PER_TURN: usize = 4;

/// Stores the events of all batches.
pub struct DrainInsights(pub Arc<Insights>);

impl JobKind for DrainInsights {
    const NAME: &'static str = "drain-insights";
    type Payload = ();

    /// A site whose batches cannot be stored does not stop the others.
    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let mut sites = inbox::sites(self.0.kernel.db.read()).await?;
        while !sites.is_empty() {
            let mut unfinished = Vec::new();
            for site in sites {
                match take_turn(&self.0, site).await {
                    Ok(true) => unfinished.push(site),
                    // Whoever took the chunk goes on with it, or the site was deleted.
                    Ok(false) | Err(EngineError::Stale) => {}
                    // So it is for all sites.
                    Err(error @ EngineError::Away(_)) => return Err(error.into()),
                    Err(error) => tracing::error!(
                        %site, %error,
                        "cannot store insight events of a site; they stay in the inbox, and the next run tries again"
                    ),
                }
            }
            sites = unfinished;
        }
        Ok(())
    }
}

impl PeriodicJob for DrainInsights {
    const INTERVAL: TimeDelta = TimeDelta::seconds(15);
}

/// Stores some batches of a site. Returns whether more may wait.
async fn take_turn(insights: &Insights, site: SiteId) -> Result<bool, EngineError> {
    for _ in 0..CHUNKS_PER_TURN {
        if !store_next(insights, site).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Stores the batches of a site.
pub(super) async fn drain(insights: &Insights, site: SiteId) -> Result<(), EngineError> {
    while store_next(insights, site).await? {}
    Ok(())
}

/// Stores the next chunk of a site. Returns whether there was one.
async fn store_next(insights: &Insights, site: SiteId) -> Result<bool, EngineError> {
    let Some(chunk) = inbox::next_chunk(&insights.kernel, site).await? else {
        return Ok(false);
    };
    // Another process may have stored the chunk meanwhile.
    if chunk.batches > 0 {
        insights.engine.store(chunk).await?;
    }
    Ok(true)
}
