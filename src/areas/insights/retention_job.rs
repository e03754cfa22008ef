//! The job that deletes events some time after they happened.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::insights::digests;
use platform::{
    db::rows,
    jobs::{JobContext, JobError, JobKind, PeriodicJob},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::Insights;

/// The time in which a batch that is sent again is known: longer than its events are near enough to be accepted.
const DIGESTS_KEPT_FOR: TimeDelta = TimeDelta::minutes(15);

/// Deletes the events of days whose retention has ended, and the digests of batches that are not accepted any more.
pub struct PurgeInsights(pub Arc<Insights>);

impl JobKind for PurgeInsights {
    const NAME: &'static str = "purge-insights";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let (kernel, now) = (&self.0.kernel, self.0.kernel.clock.now());
        let before = now.plus(-DIGESTS_KEPT_FOR);
        let old = digests::Entity::find().filter(digests::Column::ReceivedAt.lt(before));
        rows::remove_in_steps(&kernel.db, old).await?;
        Ok(self.0.engine.delete_before(now.plus(-self.0.retention)).await?)
    }
}

impl PeriodicJob for PurgeInsights {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
