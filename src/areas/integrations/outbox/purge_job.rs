//! Removing old events.

use chrono::TimeDelta;
use entity::integrations::deliveries::{Column, Entity};
use platform::{
    db::rows,
    jobs::{JobContext, JobError, JobKind, PeriodicJob},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::kernel::Kernel;

/// Retention of events.
const KEPT_FOR: TimeDelta = TimeDelta::days(30);

/// Removes events some time after they were recorded.
pub struct PurgeDeliveries(pub Kernel);

impl JobKind for PurgeDeliveries {
    const NAME: &'static str = "purge-deliveries";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let before = self.0.clock.now().plus(-KEPT_FOR);
        let old = Entity::find().filter(Column::CreatedAt.lt(before));
        Ok(rows::remove_in_steps(&self.0.db, old).await?)
    }
}

impl PeriodicJob for PurgeDeliveries {
    const INTERVAL: TimeDelta = TimeDelta::hours(1);
}
