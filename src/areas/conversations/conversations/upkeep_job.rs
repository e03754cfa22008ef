//! The job that clusters the latest issues of an organization anew.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use entity::{
    conversations::clusters::{Column, IssuesClusterStatus as Status},
    ids::OrganizationId,
};
use platform::{
    db::{Tx, rows},
    jobs::{JobContext, JobError, JobKind, NewJob, enqueue_at},
};
use sea_orm::{ColumnTrait, DbErr, QueryFilter};
use serde::{Deserialize, Serialize};

use super::{clusters, groupings, upkeep};
use crate::{areas::conversations::Conversations, kernel::Kernel};

/// The job runs so many minutes after a change: one for each of this number of issues, from 1 on and 60 at most. Many issues are more
/// work, and one more changes less among them.
const ISSUES_PER_MINUTE: i64 = 200;
const MAX_MINUTES: i64 = 60;

/// Clusters the latest issues anew. A second run finds that no cluster has changed; one that was interrupted is completed, because what
/// has gone over already does not change where the rest belongs.
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

    async fn run(&self, _: &JobContext, ClustersToCompare { organization }: ClustersToCompare) -> Result<(), JobError> {
        let kernel = &self.0.kernel;
        while upkeep::change_status(kernel, organization, Status::Pending, Some(Status::Analysing)).await? {}
        let analysed = clusters::of(organization).filter(Column::Status.eq(Status::Analysing));
        if rows::is_any(kernel.db.read(), analysed).await? {
            for step in upkeep::find_moves(kernel, organization).await? {
                upkeep::go_over(kernel, organization, step).await?;
            }
        }
        while upkeep::change_status(kernel, organization, Status::Analysing, None).await? {}
        Ok(finish(kernel, organization).await?)
    }
}

/// Lets the next change enqueue the next job, or enqueues it for what has changed meanwhile.
async fn finish(kernel: &Kernel, organization: OrganizationId) -> Result<(), DbErr> {
    let shared = kernel.clone();
    let work = move |tx: Tx| async move {
        let grouping = groupings::lock(&tx, organization).await?;
        let changed = clusters::of(organization).filter(Column::Status.eq(Status::Pending));
        let is_changed = rows::is_any(&tx, changed).await?;
        if is_changed {
            enqueue(&tx, &shared, organization, grouping.issues).await?;
        }
        groupings::set(&tx, organization, grouping.issues, is_changed).await
    };
    kernel.db.write(work).await?;
    kernel.jobs.wake();
    Ok(())
}

/// Enqueues the job of an organization that has so many issues.
pub async fn enqueue(tx: &Tx, kernel: &Kernel, organization: OrganizationId, issues: i64) -> Result<(), DbErr> {
    let now = kernel.clock.now();
    let delay = TimeDelta::minutes((issues / ISSUES_PER_MINUTE).clamp(1, MAX_MINUTES));
    let job = NewJob {
        id: kernel.ids.next(),
        organization: Some(organization),
        payload: ClustersToCompare { organization },
    };
    enqueue_at::<CompareClusters>(tx, vec![job], now.plus(delay), now).await
}
