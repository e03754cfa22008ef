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
    library::spaces,
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::{Tx, rows};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict},
};
use uuid::Uuid;

use super::{Ended, pair::Pair};
use crate::areas::{exchange::Exchange, joins::git_state};

/// Operations of a space that may wait.
const MAX_WAITING: u64 = 20;
/// Seconds after which a space with too many operations should try again.
const RETRY_AFTER: u32 = 30;
/// The time for which operations that ended are kept.
const RETENTION: TimeDelta = TimeDelta::days(30);
/// The time after which the server looks at a branch again; after failures it doubles up to the longest delay.
pub const POLL_INTERVAL: TimeDelta = TimeDelta::minutes(5);
const MAX_DELAY: TimeDelta = TimeDelta::hours(6);
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

/// The latest operation of a space, without those that the server will begin by itself.
pub async fn latest(db: &impl ConnectionTrait, space: NodeId) -> Result<Option<git_operations::Model>, DbErr> {
    let others = operations(space).filter(is_waiting_by_itself().not());
    others.order_by_desc(git_operations::Column::Id).one(db).await
}

pub async fn operation(db: &impl ConnectionTrait, id: GitOperationId) -> Result<Option<git_operations::Model>, DbErr> {
    git_operations::Entity::find_by_id(id).one(db).await
}

fn operations(space: NodeId) -> sea_orm::Select<git_operations::Entity> {
    git_operations::Entity::find().filter(git_operations::Column::SpaceId.eq(space))
}

/// Writes an operation that waits.
pub async fn insert(tx: &Tx, new: NewOperation, now: Timestamp) -> Result<(), ApiError> {
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
    ensure(tx, new.space, new.organization, now).await?;
    let row = git_operations::Model {
        request: Some(new.request),
        ..waiting_operation(new.id, new.space, new.direction, new.by, now)
    };
    rows::insert(tx, &row).await?;
    Ok(())
}

/// Writes the row of a space that has none yet.
pub async fn ensure(tx: &Tx, space: NodeId, organization: OrganizationId, now: Timestamp) -> Result<(), DbErr> {
    // Everything else is null.
    let sync = git_syncs::ActiveModel {
        space_id: Set(space),
        organization_id: Set(organization),
        directory: Set(String::new()),
        failures: Set(0),
        is_unauthenticated: Set(false),
        updated_at: Set(now),
        ..Default::default()
    };
    git_syncs::Entity::insert(sync)
        .on_conflict(OnConflict::column(git_syncs::Column::SpaceId).do_nothing().to_owned())
        .exec_without_returning(tx)
        .await?;
    Ok(())
}

/// An operation that the server makes by itself: it is carried out with the settings of the installation.
pub fn waiting_operation(
    id: GitOperationId,
    space: NodeId,
    direction: GitDirection,
    by: UserId,
    now: Timestamp,
) -> git_operations::Model {
    git_operations::Model {
        id,
        space_id: space,
        direction,
        state: State::Queued,
        request: None,
        requested_by: by,
        revision_id: None,
        problem: None,
        created_at: now,
        started_at: None,
        ended_at: None,
    }
}

/// The operations that the server made by itself, and that no job has begun.
pub fn waiting_by_itself() -> sea_orm::Select<git_operations::Entity> {
    git_operations::Entity::find().filter(is_waiting_by_itself())
}

fn is_waiting_by_itself() -> Expr {
    use git_operations::Column;
    Column::State
        .eq(State::Queued)
        .and(Column::Request.is_null())
        .and(Column::StartedAt.is_null())
}

/// Ends the installations of some spaces. What both sides have in common is forgotten.
pub async fn uninstall(tx: &Tx, of: Condition) -> Result<(), DbErr> {
    use git_syncs::{Column, Entity};
    let installed = Entity::find().filter(of).filter(Column::InstallationId.is_not_null());
    let spaces: Vec<NodeId> = installed
        .select_only()
        .column(Column::SpaceId)
        .into_tuple()
        .all(tx)
        .await?;
    for batch in spaces.chunks(BATCH) {
        let update = Entity::update_many()
            .set(git_syncs::ActiveModel {
                installation_id: Set(None),
                installed_by: Set(None),
                installed_at: Set(None),
                setup: Set(None),
                next_poll_at: Set(None),
                failures: Set(0),
                failed_direction: Set(None),
                problem: Set(None),
                is_unauthenticated: Set(false),
                commit: Set(None),
                revision_id: Set(None),
                ..Default::default()
            })
            .filter(Column::SpaceId.is_in(batch.iter().copied()));
        update.exec(tx).await?;
        let spaces = spaces::Entity::update_many()
            .col_expr(spaces::Column::GitTag, Expr::value(None::<Vec<u8>>))
            .filter(spaces::Column::Id.is_in(batch.iter().copied()));
        spaces.exec(tx).await?;
        let waiting = waiting_by_itself().select_only().column(git_operations::Column::Id);
        let waiting = waiting.filter(git_operations::Column::SpaceId.is_in(batch.iter().copied()));
        let waiting: Vec<GitOperationId> = waiting.into_tuple().all(tx).await?;
        let operations = git_operations::Entity::delete_many();
        operations
            .filter(git_operations::Column::Id.is_in(waiting))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// The oldest operation of a space that waits or runs.
async fn next(tx: &Tx, space: NodeId) -> Result<Option<git_operations::Model>, DbErr> {
    operations(space)
        .filter(git_operations::Column::State.eq(State::Queued))
        .order_by_asc(git_operations::Column::Id)
        .one(tx)
        .await
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
        let Some(next) = next(&tx, space).await? else {
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
            let is_by_itself = row.request.is_none();
            if is_by_itself {
                let problem = ended
                    .problem
                    .as_deref()
                    .map(|problem| (problem, ended.is_unauthenticated));
                note_end(&tx, space, row.direction, problem, now).await?;
            }
            if is_by_itself && ended.is_idle {
                // The server looks at branches all the time.
                git_operations::Entity::delete_by_id(operation).exec(&tx).await?;
            } else {
                end(&tx, row, ended.problem, ended.revision, now).await?;
            }
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
    if let Some(next) = next(tx, space).await?.filter(|_| held) {
        if next.request.is_none() {
            note_end(tx, space, next.direction, Some((problem, false)), now).await?;
        }
        end(tx, next, Some(problem.to_owned()), None, now).await?;
    }
    free(tx, space, Some(job)).await
}

/// Notes with the installation how an operation ended, and when the next one is due. With a problem: whether it is one of credentials.
async fn note_end(
    tx: &Tx,
    space: NodeId,
    direction: GitDirection,
    problem: Option<(&str, bool)>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let row = find(tx, space).await?;
    let Some(row) = row.filter(|row| row.next_poll_at.is_some()) else {
        return Ok(());
    };
    let failures = row.failures;
    let failed = row.failed_direction;
    let mut row = row.into_active_model();
    match problem {
        Some((problem, is_unauthenticated)) => {
            row.failures = Set(failures.saturating_add(1));
            // What an export was to push still waits when an import has failed, too.
            row.failed_direction = Set(failed
                .filter(|failed| *failed == GitDirection::Export)
                .or(Some(direction)));
            row.problem = Set(Some(problem.to_owned()));
            row.is_unauthenticated = Set(is_unauthenticated);
            row.next_poll_at = Set(Some(now.plus(delay(failures))));
        }
        // An export that failed has not succeeded with an import; an import is part of each export.
        None if failed == Some(GitDirection::Export) && direction == GitDirection::Import => return Ok(()),
        None => {
            row.failures = Set(0);
            row.failed_direction = Set(None);
            row.problem = Set(None);
            row.is_unauthenticated = Set(false);
            row.next_poll_at = Set(Some(now.plus(POLL_INTERVAL)));
        }
    }
    row.update(tx).await?;
    Ok(())
}

/// The delay after so many earlier failures.
fn delay(failures: i32) -> TimeDelta {
    let doublings = failures.clamp(0, 10).unsigned_abs();
    (POLL_INTERVAL * 2_i32.pow(doublings)).min(MAX_DELAY)
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
        .col_expr(Column::RunningJobId, Expr::value(None::<JobId>))
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
    let ordered = Ord::max(sync.ordered_at, pair.timestamp);
    let tag = git_state::tag(&pair.commit.0, &pair.directory);
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
    let synced = spaces::Entity::update_many().filter(spaces::Column::Id.eq(space));
    synced
        .col_expr(spaces::Column::GitTag, Expr::value(tag.to_vec()))
        .exec(tx)
        .await?;
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
    let work = move |tx: Tx| async move { write_pair(&tx, space, pair, now).await };
    exchange.kernel.db.write(work).await
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
