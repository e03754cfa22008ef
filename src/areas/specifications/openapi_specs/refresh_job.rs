//! Fetching sources again by time.

use std::sync::Arc;

use chrono::TimeDelta;
use entity::specifications::openapi_specs::{Column, Entity, Model};
use platform::jobs::{JobContext, JobError, JobKind, PeriodicJob, enqueue};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Expr};

use super::{new_source::REFRESH_INTERVAL, process_job::ProcessSpec, store::SpecToProcess};
use crate::areas::specifications::Specifications;

/// Specifications of one transaction.
const BATCH_SIZE: u64 = 100;

/// Enqueues the processing of sources that are due to be fetched again.
pub struct RefreshSpecs(pub Arc<Specifications>);

impl JobKind for RefreshSpecs {
    const NAME: &'static str = "refresh-openapi-specs";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let specifications = &self.0;
        loop {
            let now = specifications.kernel.clock.now();
            let due = Entity::find()
                .filter(Column::NextFetchAt.lte(now))
                .order_by_asc(Column::NextFetchAt)
                .limit(BATCH_SIZE)
                .all(specifications.kernel.db.read())
                .await?;
            if due.is_empty() {
                return Ok(());
            }
            let jobs: Vec<_> = due
                .iter()
                .map(|row| SpecToProcess::job(specifications.kernel.ids.next(), row))
                .collect();
            let ids: Vec<_> = due.iter().map(|row: &Model| row.id).collect();
            let work = move |tx| async move {
                Entity::update_many()
                    .col_expr(Column::NextFetchAt, Expr::value(Some(now.plus(REFRESH_INTERVAL))))
                    .filter(Column::Id.is_in(ids))
                    .filter(Column::NextFetchAt.is_not_null())
                    .exec(&tx)
                    .await?;
                enqueue::<ProcessSpec>(&tx, jobs, now).await?;
                Ok::<_, DbErr>(())
            };
            specifications.kernel.db.write(work).await?;
            specifications.kernel.jobs.wake();
        }
    }
}

impl PeriodicJob for RefreshSpecs {
    const INTERVAL: TimeDelta = TimeDelta::minutes(5);
}
