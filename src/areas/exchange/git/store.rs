//! Synchronizations and their operations in the database.

use std::collections::HashMap;

use chrono::TimeDelta;
use entity::{
    authoring::change_requests,
    exchange::{
        git_commits, git_entries,
        git_operations::{self, GitDirection, GitOperationState as State},
        git_syncs,
    },
    ids::{ChangeRequestId, GitOperationId, JobId, NodeId, OrganizationId, RevisionId, UserId},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::{Tx, rows};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect, sea_query::OnConflict,
};
use uuid::Uuid;

use super::{Ended, pair::Pair};
use crate::{
    areas::exchange::Exchange,
    kernel::audit::{AuditTarget, Changed},
};

/// Operations of a space that may wait.
const MAX_WAITING: u64 = 20;
/// Seconds after which a space with too many operations should try again.
const RETRY_AFTER: u32 = 30;
/// The time for which operations that ended are kept.
const RETENTION: TimeDelta = TimeDelta::days(30);
/// Rows of one statement.
const BATCH: usize = 500;

#[derive(Clone)]
pub struct NewOperation {
    pub id: GitOperationId,
    pub space: NodeId,
    pub organization: OrganizationId,
    pub direction: GitDirection,
    pub request: Vec<u8>,
    pub by: UserId,
}

pub async fn find(db: &impl ConnectionTrait, space: NodeId) -> Result<Option<git_syncs::Model>, DbErr> {
    git_syncs::Entity::find_by_id(space).one(db).await
}

/// The latest operation of a space.
pub async fn latest(db: &impl ConnectionTrait, space: NodeId) -> Result<Option<git_operations::Model>, DbErr> {
    operations(space)
        .order_by_desc(git_operations::Column::Id)
        .one(db)
        .await
}

fn operations(space: NodeId) -> sea_orm::Select<git_operations::Entity> {
    git_operations::Entity::find().filter(git_operations::Column::SpaceId.eq(space))
}

/// Writes an operation that waits.
pub async fn insert(tx: &Tx, new: NewOperation, target: AuditTarget, now: Timestamp) -> Result<Changed<()>, ApiError> {
    let waiting: Vec<GitOperationId> = operations(new.space)
        .select_only()
        .column(git_operations::Column::Id)
        .filter(git_operations::Column::State.eq(State::Queued))
        .limit(MAX_WAITING)
        .into_tuple()
        .all(tx)
        .await?;
    if u64::try_from(waiting.len()).is_ok_and(|count| count >= MAX_WAITING) {
        let message =
            "Too many imports and exports of the space wait. Retry after the number of seconds in `Retry-After`.";
        return Err(ApiError::too_many_requests(message, RETRY_AFTER));
    }
    let sync = git_syncs::Model {
        space_id: new.space,
        organization_id: new.organization,
        address: None,
        reference: None,
        directory: String::new(),
        known_hosts: None,
        provider: None,
        tree_url: None,
        commit: None,
        revision_id: None,
        change_request_id: None,
        running_job_id: None,
        ordered_at: None,
        updated_at: now,
    };
    git_syncs::Entity::insert(sync.into_active_model().reset_all())
        .on_conflict(OnConflict::column(git_syncs::Column::SpaceId).do_nothing().to_owned())
        .exec_without_returning(tx)
        .await?;
    let row = git_operations::Model {
        id: new.id,
        space_id: new.space,
        direction: new.direction,
        state: State::Queued,
        request: Some(new.request),
        requested_by: new.by,
        revision_id: None,
        problem: None,
        created_at: now,
        started_at: None,
        ended_at: None,
    };
    rows::insert(tx, &row).await?;
    Ok(Changed::of(target, ()))
}

/// What a job is to do.
pub enum Begun {
    /// The oldest operation that waits.
    Operation(Box<(git_syncs::Model, git_operations::Model)>),
    /// Another job works on the space.
    Busy,
    Nothing,
}

/// Takes the space for a job, and the operation that is next.
pub async fn begin(exchange: &Exchange, space: NodeId, job: JobId) -> Result<Begun, ApiError> {
    let now = exchange.kernel.clock.now();
    let work = move |tx: Tx| async move {
        let sync = git_syncs::Entity::find_by_id(space).lock_exclusive().one(&tx).await?;
        let Some(sync) = sync else {
            return Ok::<_, ApiError>(Begun::Nothing);
        };
        if sync.running_job_id.is_some_and(|running| running != job) {
            return Ok(Begun::Busy);
        }
        let next = operations(space)
            .filter(git_operations::Column::State.eq(State::Queued))
            .order_by_asc(git_operations::Column::Id)
            .one(&tx)
            .await?;
        let Some(next) = next else {
            return Ok(Begun::Nothing);
        };
        let mut running = sync.clone().into_active_model();
        running.running_job_id = Set(Some(job));
        running.update(&tx).await?;
        let mut started = next.clone().into_active_model();
        started.started_at = Set(Some(now));
        started.update(&tx).await?;
        Ok(Begun::Operation(Box::new((sync, next))))
    };
    exchange.kernel.db.write(work).await
}

/// Writes how an operation ended, and frees the space.
pub async fn finish(
    exchange: &Exchange,
    operation: GitOperationId,
    space: NodeId,
    ended: Ended,
) -> Result<(), ApiError> {
    let now = exchange.kernel.clock.now();
    let work = move |tx: Tx| async move {
        let row = git_operations::Entity::find_by_id(operation).one(&tx).await?;
        if let Some(row) = row.filter(|row| row.state == State::Queued) {
            end(&tx, row, ended.problem, ended.revision, now).await?;
        }
        free(&tx, space, None).await?;
        if let Some(pair) = ended.pair {
            write_pair(&tx, space, pair, now).await?;
        }
        operations_before(&tx, space, now.plus(-RETENTION)).await
    };
    exchange.kernel.db.write(work).await
}

/// Ends the operation that a job was running without an outcome.
pub async fn end_without_outcome(
    tx: &Tx,
    space: NodeId,
    job: JobId,
    problem: &str,
    now: Timestamp,
) -> Result<(), DbErr> {
    let held = find(tx, space)
        .await?
        .is_some_and(|sync| sync.running_job_id == Some(job));
    let next = operations(space)
        .filter(git_operations::Column::State.eq(State::Queued))
        .order_by_asc(git_operations::Column::Id)
        .one(tx)
        .await?;
    if let Some(next) = next.filter(|_| held) {
        end(tx, next, Some(problem.to_owned()), None, now).await?;
    }
    free(tx, space, Some(job)).await
}

async fn end(
    tx: &Tx,
    row: git_operations::Model,
    problem: Option<String>,
    revision: Option<RevisionId>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let mut row = row.into_active_model();
    row.state = Set(match problem {
        Some(_) => State::Failure,
        None => State::Success,
    });
    row.problem = Set(problem);
    row.revision_id = Set(revision);
    row.request = Set(None);
    row.ended_at = Set(Some(now));
    row.update(tx).await?;
    Ok(())
}

async fn free(tx: &Tx, space: NodeId, job: Option<JobId>) -> Result<(), DbErr> {
    use git_syncs::{Column, Entity};
    let mut update = Entity::update_many()
        .col_expr(Column::RunningJobId, sea_orm::sea_query::Expr::value(None::<JobId>))
        .filter(Column::SpaceId.eq(space));
    if let Some(job) = job {
        update = update.filter(Column::RunningJobId.eq(job));
    }
    update.exec(tx).await?;
    Ok(())
}

async fn operations_before(tx: &Tx, space: NodeId, time: Timestamp) -> Result<(), ApiError> {
    use git_operations::{Column, Entity};
    let ended = Entity::delete_many()
        .filter(Column::SpaceId.eq(space))
        .filter(Column::EndedAt.lt(time));
    ended.exec(tx).await?;
    Ok(())
}

async fn write_pair(tx: &Tx, space: NodeId, pair: Pair, now: Timestamp) -> Result<(), ApiError> {
    let Some(sync) = git_syncs::Entity::find_by_id(space).one(tx).await? else {
        return Ok(());
    };
    let ordered = sync.ordered_at.max(pair.timestamp);
    let mut row = sync.into_active_model();
    row.address = Set(Some(pair.address));
    row.reference = Set(Some(pair.reference.clone()));
    row.directory = Set(pair.directory);
    row.known_hosts = Set(pair.known_hosts);
    if let Some(provider) = pair.provider {
        row.provider = Set(Some(provider));
    }
    if let Some(url) = pair.tree_url {
        row.tree_url = Set(Some(url));
    }
    row.commit = Set(Some(pair.commit.0.to_vec()));
    row.revision_id = Set(Some(pair.revision));
    row.change_request_id = Set(pair.change_request);
    row.ordered_at = Set(ordered);
    row.updated_at = Set(now);
    row.update(tx).await?;
    if let Some(entries) = pair.entries {
        write_entries(tx, space, entries).await?;
    }
    for commit in pair.commits {
        insert_commit(tx, commit).await?;
    }
    Ok(())
}

/// Writes the commit of a revision, unless there is one.
pub async fn insert_commit(tx: &Tx, commit: git_commits::Model) -> Result<(), DbErr> {
    git_commits::Entity::insert(commit.into_active_model().reset_all())
        .on_conflict(
            OnConflict::column(git_commits::Column::RevisionId)
                .do_nothing()
                .to_owned(),
        )
        .exec_without_returning(tx)
        .await?;
    Ok(())
}

/// Writes a pair while the operation goes on.
pub async fn save(exchange: &Exchange, space: NodeId, pair: Pair) -> Result<(), ApiError> {
    let now = exchange.kernel.clock.now();
    exchange
        .kernel
        .db
        .write(move |tx: Tx| async move { write_pair(&tx, space, pair, now).await })
        .await
}

/// The number of a change request that is neither merged nor archived.
pub async fn open_change_request(db: &impl ConnectionTrait, id: ChangeRequestId) -> Result<Option<i32>, DbErr> {
    use change_requests::{ChangeRequestStatus, Column, Entity};
    Entity::find_by_id(id)
        .select_only()
        .column(Column::Number)
        .filter(Column::Status.is_in([ChangeRequestStatus::Draft, ChangeRequestStatus::Open]))
        .into_tuple()
        .one(db)
        .await
}

pub async fn entries(db: &impl ConnectionTrait, space: NodeId) -> Result<Vec<git_entries::Model>, DbErr> {
    git_entries::Entity::find()
        .filter(git_entries::Column::SpaceId.eq(space))
        .all(db)
        .await
}

/// Replaces the entries that differ.
async fn write_entries(tx: &Tx, space: NodeId, wanted: Vec<git_entries::Model>) -> Result<(), DbErr> {
    use git_entries::{Column, Entity, Model};
    let mut present: HashMap<Uuid, Model> = entries(tx, space)
        .await?
        .into_iter()
        .map(|entry| (entry.object_id, entry))
        .collect();
    let changed: Vec<Model> = wanted
        .into_iter()
        .filter(|entry| present.remove(&entry.object_id).as_ref() != Some(entry))
        .collect();
    let gone: Vec<Uuid> = present
        .into_keys()
        .chain(changed.iter().map(|entry| entry.object_id))
        .collect();
    for batch in gone.chunks(BATCH) {
        let rows = Entity::delete_many()
            .filter(Column::SpaceId.eq(space))
            .filter(Column::ObjectId.is_in(batch.to_vec()));
        rows.exec(tx).await?;
    }
    for batch in changed.chunks(BATCH) {
        let batch = batch.iter().map(|entry| entry.clone().into_active_model().reset_all());
        Entity::insert_many(batch).exec_without_returning(tx).await?;
    }
    Ok(())
}
