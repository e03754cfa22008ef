//! Jobs that delete the events of visitors or of a site.

use std::{collections::HashSet, sync::Arc};

use entity::{
    ids::{JobId, SiteId},
    insights::removals::{Column, Entity},
};
use platform::{
    db::Tx,
    jobs::{JobContext, JobError, JobKind},
};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{Insights, drain_job::drain};

/// Visitors whose events one pass deletes.
const VISITORS_PER_PASS: u64 = 1000;

/// Deletes the events of the visitors of a site that wait for it.
pub struct RemoveVisitorEvents(pub Arc<Insights>);

impl JobKind for RemoveVisitorEvents {
    const NAME: &'static str = "remove-visitor-events";
    type Payload = SiteId;

    /// Segments are rewritten once for all visitors, so the jobs of the others find nothing to do.
    async fn run(&self, _: &JobContext, site: SiteId) -> Result<(), JobError> {
        let kernel = &self.0.kernel;
        let waiting: Vec<(JobId, i64)> = Entity::find()
            .select_only()
            .columns([Column::JobId, Column::Visitor])
            .filter(Column::SiteId.eq(site))
            .order_by_asc(Column::JobId)
            .limit(VISITORS_PER_PASS)
            .into_tuple()
            .all(kernel.db.read())
            .await?;
        if waiting.is_empty() {
            return Ok(());
        }
        let (jobs, visitors): (Vec<JobId>, Vec<i64>) = waiting.into_iter().unzip();
        let visitors: HashSet<u64> = visitors.into_iter().map(i64::cast_unsigned).collect();
        // Batches that wait may have events of the visitors.
        drain(&self.0, site).await?;
        self.0.engine.delete_visitors(site, &visitors).await?;
        let work = move |tx: Tx| async move {
            let done = Entity::delete_many().filter(Column::JobId.is_in(jobs));
            done.exec(&tx).await?;
            Ok::<_, DbErr>(())
        };
        Ok(kernel.db.write(work).await?)
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
