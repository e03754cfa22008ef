//! The job that compares the clusters that have changed with similar ones.

use std::{sync::Arc, time::Duration};

use entity::ids::OrganizationId;
use platform::jobs::{JobContext, JobError, JobKind};
use serde::{Deserialize, Serialize};

use super::upkeep;
use crate::areas::conversations::Conversations;

/// Merges clusters that have become similar, and splits those with two subjects. A second run finds no cluster that has changed.
pub struct CompareClusters(pub Arc<Conversations>);

/// The organization whose clusters have changed.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct ClustersToCompare {
    pub organization: OrganizationId,
}

impl JobKind for CompareClusters {
    const NAME: &'static str = "compare-issue-clusters";
    const TIME_LIMIT: Duration = Duration::from_secs(15 * 60);
    type Payload = ClustersToCompare;

    async fn run(&self, _: &JobContext, payload: ClustersToCompare) -> Result<(), JobError> {
        let kernel = &self.0.kernel;
        while upkeep::begin(kernel, payload.organization).await? {
            upkeep::compare(kernel, payload.organization).await?;
        }
        Ok(())
    }
}
