//! Operations that the server makes by itself, for spaces that follow a branch.

use std::{collections::HashSet, sync::Arc};

use chrono::TimeDelta;
use entity::{
    exchange::{
        git_operations::{self, GitDirection},
        git_syncs::{self, Column, Entity},
    },
    ids::NodeId,
    timestamp::Timestamp,
};
use platform::{
    db::{IdSource, Tx},
    jobs::{JobContext, JobError, JobKind, NewJob, PeriodicJob, enqueue_at},
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
    sea_query::Expr,
};

use super::{
    job::{RunGitOperation, SpaceToSync},
    store,
};
use crate::areas::exchange::Exchange;

/// The time in which several edits become one commit.
const COLLECTING: TimeDelta = TimeDelta::seconds(5);
/// Spaces of one transaction.
const BATCH: u64 = 100;

/// The operation with which a space goes on: the one that failed, or a look at the branch.
pub fn next(row: git_syncs::Model) -> (git_syncs::Model, GitDirection) {
    let direction = row.failed_direction.unwrap_or(GitDirection::Import);
    (row, direction)
}

/// Writes operations of spaces that follow a branch, each with its job. What waits already is not written again.
pub async fn enqueue(
    tx: &Tx,
    ids: &IdSource,
    spaces: Vec<(git_syncs::Model, GitDirection)>,
    due: Timestamp,
    now: Timestamp,
) -> Result<(), DbErr> {
    use git_operations::Column;
    let waiting: Vec<(NodeId, GitDirection)> = store::waiting_by_itself()
        .select_only()
        .columns([Column::SpaceId, Column::Direction])
        .filter(Column::SpaceId.is_in(spaces.iter().map(|(row, _)| row.space_id)))
        .into_tuple()
        .all(tx)
        .await?;
    let waiting: HashSet<(NodeId, GitDirection)> = waiting.into_iter().collect();
    let (mut operations, mut jobs) = (Vec::new(), Vec::new());
    for (row, direction) in spaces {
        let (space, organization) = (row.space_id, row.organization_id);
        let Some(by) = row.installed_by.filter(|_| !waiting.contains(&(space, direction))) else {
            continue;
        };
        let operation = store::waiting_operation(ids.next(), space, direction, by, now);
        operations.push(operation.into_active_model().reset_all());
        jobs.push(NewJob {
            id: ids.next(),
            organization: Some(organization),
            payload: SpaceToSync { space },
        });
    }
    if operations.is_empty() {
        return Ok(());
    }
    git_operations::Entity::insert_many(operations)
        .exec_without_returning(tx)
        .await?;
    enqueue_at::<RunGitOperation>(tx, jobs, due, now).await
}

/// Exports a space whose content has changed. What an import has changed is exported too, which finds nothing to do, or pushes the merge.
pub async fn content_changed(tx: &Tx, ids: &IdSource, space: NodeId, now: Timestamp) -> Result<(), DbErr> {
    let row = store::find(tx, space).await?;
    let Some(row) = row.filter(|row| row.next_poll_at.is_some()) else {
        return Ok(());
    };
    let due = now.plus(COLLECTING);
    enqueue(tx, ids, vec![(row, GitDirection::Export)], due, now).await
}

/// Looks at the branches that are due.
pub struct PollGitBranches(pub Arc<Exchange>);

impl JobKind for PollGitBranches {
    const NAME: &'static str = "poll-git-branches";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        let kernel = &self.0.kernel;
        loop {
            let (now, ids) = (kernel.clock.now(), kernel.ids.clone());
            let work = move |tx: Tx| async move {
                let due = Entity::find()
                    .filter(Column::NextPollAt.lte(now))
                    .order_by_asc(Column::NextPollAt)
                    .limit(BATCH)
                    .all(&tx)
                    .await?;
                if due.is_empty() {
                    return Ok::<_, DbErr>(false);
                }
                Entity::update_many()
                    .col_expr(Column::NextPollAt, Expr::value(Some(now.plus(store::POLL_INTERVAL))))
                    .filter(Column::SpaceId.is_in(due.iter().map(|row| row.space_id)))
                    .exec(&tx)
                    .await?;
                enqueue(&tx, &ids, due.into_iter().map(next).collect(), now, now).await?;
                Ok(true)
            };
            if !kernel.db.write(work).await? {
                return Ok(());
            }
            kernel.jobs.wake();
        }
    }
}

impl PeriodicJob for PollGitBranches {
    const INTERVAL: TimeDelta = TimeDelta::minutes(1);
}
