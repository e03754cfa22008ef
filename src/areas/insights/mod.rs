//! Insights: what visitors of sites do, and what is asked of it.

mod drain_job;
pub mod engine;
pub mod guard;
pub mod hooks;
mod inbox;
mod merge_job;
mod removal_jobs;
mod retention_job;
pub mod site_insights;

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use entity::ids::OrganizationId;
use openapi::{error::ApiError, guard::InsightsService};
use platform::config::Settings;
use tokio::time::timeout;
use turns::{Turn, Turns};
use visitors::GeoIp;

pub use self::{
    drain_job::DrainInsights,
    merge_job::MergeInsights,
    removal_jobs::{RemoveSiteEvents, RemoveVisitorEvents},
    retention_job::PurgeInsights,
};

use self::{engine::Engine, guard::InsightsGuard, inbox::Inbox, site_insights::hashes::VisitorHashes};
use crate::{
    access::Access,
    areas::publishing::{guard::PublishingGuard, visits::Visits},
    kernel::Kernel,
};

/// Queries and lists that are computed at once, and those of one organization. In the database, each takes memory for its groups and
/// the columns that it reads; from ClickHouse, for an answer.
const IN_DATABASE: (usize, usize) = (2, 1);
const IN_CLICKHOUSE: (usize, usize) = (8, 2);

/// The time for which a query waits for its turn.
const QUERY_WAIT: Duration = Duration::from_secs(5);

/// Seconds after which a caller asks again.
const RETRY_AFTER: u32 = 5;

/// The service of this context.
pub struct Insights {
    pub kernel: Kernel,
    pub visits: Visits,
    pub engine: Arc<dyn Engine>,
    pub inbox: Inbox,
    /// Turns of queries.
    pub queries: Turns<OrganizationId>,
    pub hashes: VisitorHashes,
    /// `None`: nothing is known of the places of visitors.
    pub geoip: Option<GeoIp>,
    /// The time for which events are kept.
    pub retention: TimeDelta,
    publishing_guard: Arc<PublishingGuard>,
    insights_guard: InsightsGuard,
}

impl Insights {
    pub fn new(kernel: &Kernel, access: &Arc<Access>, visits: &Visits, settings: &Settings) -> Self {
        let (places_for_queries, share) = match settings.insights_url {
            None => IN_DATABASE,
            Some(_) => IN_CLICKHOUSE,
        };
        let publishing_guard = Arc::new(PublishingGuard::new(access, visits));
        Self {
            kernel: kernel.clone(),
            visits: visits.clone(),
            engine: engine::open(kernel, settings),
            inbox: Inbox::new(kernel),
            queries: Turns::new(places_for_queries, share),
            hashes: VisitorHashes::new(&kernel.secrets),
            geoip: geoip(settings),
            retention: TimeDelta::from_std(settings.insights_retention).unwrap_or(TimeDelta::MAX),
            insights_guard: InsightsGuard::new(access, visits, &publishing_guard),
            publishing_guard,
        }
    }

    /// Waits until a query of an organization may be computed.
    async fn turn(&self, organization: OrganizationId) -> Result<Turn<OrganizationId>, ApiError> {
        timeout(QUERY_WAIT, self.queries.take(organization)).await.map_err(|_| {
            let message = "Other queries of insights are computed at present.";
            ApiError::overloaded(message, RETRY_AFTER)
        })
    }
}

/// Without its file the server works; only places are missing.
fn geoip(settings: &Settings) -> Option<GeoIp> {
    let file = settings.geoip_database.as_deref()?;
    let opened = GeoIp::open(file).inspect_err(|error| {
        tracing::error!(
            file = %file.display(),
            %error,
            "cannot read the places of IP addresses; insights go on without them. Check BINDERY_GEOIP_DATABASE"
        );
    });
    opened.ok()
}

impl InsightsService for Insights {
    type PublishingGuard = PublishingGuard;
    type InsightsGuard = InsightsGuard;

    fn publishing_guard(&self) -> &PublishingGuard {
        &self.publishing_guard
    }

    fn insights_guard(&self) -> &InsightsGuard {
        &self.insights_guard
    }
}
