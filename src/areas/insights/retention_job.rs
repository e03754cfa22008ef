//! The job that deletes events some time after they happened.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::{insights::digests, timestamp::Timestamp};
use platform::{
    db::rows,
    jobs::{JobContext, JobError, JobKind, PeriodicJob},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::{Insights, inbox};

/// The time in which a batch that is sent again is known: longer than its events are near enough to be accepted.
const DIGESTS_KEPT_FOR: TimeDelta = TimeDelta::minutes(15);

/// Events are deleted only if there are others that are no older than this, and not of today. So a clock that is far ahead for a moment
/// deletes nothing: events that it has given their time are of its today.
const ACTIVE_WITHIN: TimeDelta = TimeDelta::weeks(3);

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
        inbox::forget_days_before(kernel, now.plus(-TimeDelta::days(1))).await?;
        let (engine, end) = (&self.0.engine, now.plus(-self.0.retention));
        if !engine.has_events(Timestamp::from_millis(0), end).await? {
            return Ok(());
        }
        if !engine.has_events(now.plus(-ACTIVE_WITHIN), now).await? {
            tracing::warn!(
                "insight events from before the end of their retention are kept, because there are none of the last three weeks \
                 until yesterday. Check the clock of the machine; with further events they are deleted"
            );
            return Ok(());
        }
        Ok(engine.delete_before(end).await?)
    }
}

impl PeriodicJob for PurgeInsights {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
