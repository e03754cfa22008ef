//! Insights: what visitors of sites do, and what is asked of it.

mod drain_job;
pub mod engine;
pub mod guard;
pub mod hooks;
mod inbox;
mod removal_jobs;
mod retention_job;
pub mod site_insights;

use std::sync::Arc;

use chrono::TimeDelta;
use openapi::guard::InsightsService;
use platform::config::Settings;
use visitors::Places;

pub use self::{
    drain_job::DrainInsights,
    removal_jobs::{RemoveSiteEvents, RemoveVisitorEvents},
    retention_job::PurgeInsights,
};

use self::{engine::Engine, guard::InsightsGuard, inbox::Inbox, site_insights::hashes::VisitorHashes};
use crate::{
    access::Access,
    areas::publishing::{guard::PublishingGuard, visits::Visits},
    kernel::Kernel,
};

/// The service of this context.
pub struct Insights {
    pub kernel: Kernel,
    pub visits: Visits,
    pub engine: Arc<dyn Engine>,
    pub inbox: Inbox,
    pub hashes: VisitorHashes,
    /// `None`: nothing is known of the places of visitors.
    pub places: Option<Places>,
    /// The time for which events are kept.
    pub retention: TimeDelta,
    publishing_guard: Arc<PublishingGuard>,
    insights_guard: InsightsGuard,
}

impl Insights {
    pub fn new(kernel: &Kernel, access: &Arc<Access>, visits: &Visits, settings: &Settings) -> Self {
        let publishing_guard = Arc::new(PublishingGuard::new(access, visits));
        Self {
            kernel: kernel.clone(),
            visits: visits.clone(),
            engine: engine::open(kernel, settings),
            inbox: Inbox::new(kernel),
            hashes: VisitorHashes::new(&kernel.secrets),
            places: places(settings),
            retention: TimeDelta::from_std(settings.insights_retention).unwrap_or(TimeDelta::MAX),
            insights_guard: InsightsGuard::new(access, visits, &publishing_guard),
            publishing_guard,
        }
    }
}

/// Without its file the server works; only places are missing.
fn places(settings: &Settings) -> Option<Places> {
    let file = settings.insights_places.as_deref()?;
    let opened = Places::open(file).inspect_err(|error| {
        tracing::error!(
            file = %file.display(),
            %error,
            "cannot read the places of IP addresses; insights go on without them. Check BINDERY_INSIGHTS_PLACES"
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
