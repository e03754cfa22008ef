//! Jobs that delete the events of a visitor or of a site.

use std::sync::Arc;

use entity::ids::SiteId;
use platform::jobs::{JobContext, JobError, JobKind};
use serde::{Deserialize, Serialize};

use super::{Insights, drain_job::drain};

/// Deletes the events of a visitor.
pub struct RemoveVisitorEvents(pub Arc<Insights>);

#[derive(Clone, Serialize, Deserialize)]
pub struct RemovedVisitor {
    pub site: SiteId,
    /// The hash of the visitor's id.
    pub visitor: u64,
}

impl JobKind for RemoveVisitorEvents {
    const NAME: &'static str = "remove-visitor-events";
    type Payload = RemovedVisitor;

    async fn run(&self, _: &JobContext, RemovedVisitor { site, visitor }: RemovedVisitor) -> Result<(), JobError> {
        // Batches that wait may have events of the visitor.
        drain(&self.0, site).await?;
        Ok(self.0.engine.delete_visitor(site, visitor).await?)
    }
}

/// Deletes the events of a site that was deleted. Its batches went with the site.
pub struct RemoveSiteEvents(pub Arc<Insights>);

impl JobKind for RemoveSiteEvents {
    const NAME: &'static str = "remove-site-events";
    type Payload = SiteId;

    async fn run(&self, _: &JobContext, site: SiteId) -> Result<(), JobError> {
        Ok(self.0.engine.delete_site(site).await?)
    }
}
