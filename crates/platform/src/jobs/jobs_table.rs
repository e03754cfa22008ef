//! Statements on the table of jobs.

use std::collections::{HashMap, HashSet};

use chrono::TimeDelta;
use entity::{
    ids::{JobId, LeaseId, OrganizationId},
    platform::jobs::{Column, Entity, JobState, Model},
    timestamp::Timestamp,
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, JsonValue,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, UpdateMany,
    sea_query::{Expr, ExprTrait, Func, LockBehavior, LockType, OnConflict, Query},
};

use crate::request_context::RequestContext;

use super::{
    backoff::{MAX_ATTEMPTS, delay},
    kind::{JobContext, JobError, JobKind},
};

/// Lifetime of a lease that is not renewed. A process whose lease has ended counts as dead.
const LEASE: TimeDelta = TimeDelta::seconds(30);

/// The longest error text that is stored, in characters.
const MAX_ERROR: usize = 1000;

/// Jobs that one statement removes.
const PURGE_BATCH: u64 = 500;

/// A job that is to be written.
#[derive(Clone)]
pub struct NewJob<P> {
    pub id: JobId,
    /// The organization whose work it is. Organizations take turns: the one that was served longest ago is next, and one of which no
    /// job runs comes before the others. `None`: jobs that all take little, and those of the server itself, which come first.
    pub organization: Option<OrganizationId>,
    pub payload: P,
}

impl<P> From<(JobId, P)> for NewJob<P> {
    fn from((id, payload): (JobId, P)) -> Self {
        Self {
            id,
            organization: None,
            payload,
        }
    }
}

/// Writes jobs that are due at once. Call [`super::JobQueue::wake`] after the commit.
pub async fn enqueue<K: JobKind>(
    db: &impl ConnectionTrait,
    jobs: Vec<impl Into<NewJob<K::Payload>>>,
    now: Timestamp,
) -> Result<(), DbErr> {
    enqueue_at::<K>(db, jobs, now, now).await
}

/// Writes jobs that are due at `due`.
pub async fn enqueue_at<K: JobKind>(
    db: &impl ConnectionTrait,
    jobs: Vec<impl Into<NewJob<K::Payload>>>,
    due: Timestamp,
    now: Timestamp,
) -> Result<(), DbErr> {
    let rows = jobs.into_iter().map(|job| {
        let job: NewJob<K::Payload> = job.into();
        let payload = serde_json::to_value(job.payload).map_err(|error| DbErr::Json(error.to_string()))?;
        Ok(Model {
            organization_id: job.organization,
            next_attempt_at: Some(due),
            ..queued(job.id, K::NAME, payload, now)
        })
    });
    let rows: Vec<Model> = rows.collect::<Result<_, DbErr>>()?;
    if rows.is_empty() {
        return Ok(());
    }
    let rows = rows.into_iter().map(|job| job.into_active_model().reset_all());
    Entity::insert_many(rows).exec_without_returning(db).await?;
    Ok(())
}

fn queued(id: JobId, kind: &str, payload: JsonValue, now: Timestamp) -> Model {
    Model {
        id,
        kind: kind.to_owned(),
        periodic_kind: None,
        organization_id: None,
        payload,
        state: JobState::Queued,
        attempts: 0,
        next_attempt_at: Some(now),
        lease_id: None,
        last_error: None,
        request_id: RequestContext::current_id(),
        created_at: now,
        started_at: None,
        finished_at: None,
    }
}

/// Returns the kinds whose periodic job exists.
pub(super) async fn periodic(db: &impl ConnectionTrait, kinds: &[&'static str]) -> Result<Vec<String>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::Kind)
        .filter(Column::PeriodicKind.is_in(kinds.iter().copied()))
        .into_tuple()
        .all(db)
        .await
}

/// Leaves those alone that another process has just written.
pub(super) async fn insert_periodic(
    db: &impl ConnectionTrait,
    kinds: Vec<(JobId, &'static str)>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let rows = kinds.into_iter().map(|(id, kind)| Model {
        periodic_kind: Some(kind.to_owned()),
        ..queued(id, kind, JsonValue::Null, now)
    });
    Entity::insert_many(rows.map(|job| job.into_active_model().reset_all()))
        .on_conflict(OnConflict::column(Column::PeriodicKind).do_nothing().to_owned())
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// The jobs of a kind that are due, the longest due first. A running job is due when its lease has ended.
fn due(kind: &'static str, now: Timestamp) -> Select<Entity> {
    Entity::find()
        .filter(Column::Kind.eq(kind))
        .filter(Column::NextAttemptAt.lte(now))
        .order_by_asc(Column::NextAttemptAt)
        .order_by_asc(Column::Id)
}

pub(super) async fn is_due(db: &impl ConnectionTrait, kind: &'static str, now: Timestamp) -> Result<bool, DbErr> {
    let first = due(kind, now).select_only().column(Column::Id).limit(1);
    let first: Option<JobId> = first.into_tuple().one(db).await?;
    Ok(first.is_some())
}

/// The jobs that a process has to do with.
pub(super) struct Claimed {
    /// To be run.
    pub jobs: Vec<Model>,
    /// Failed for good, because none of their runs ended.
    pub exhausted: Vec<Model>,
}

/// The time of the last turn of the organization of a job; 0 if it had none.
fn last_turn(kind: &'static str) -> Expr {
    const TURN: &str = "turn";
    let last = Query::select()
        .expr(Expr::col((TURN, Column::StartedAt)).max())
        .from_as(Entity, TURN)
        .and_where(Expr::col((TURN, Column::Kind)).eq(kind))
        .and_where(Expr::col((TURN, Column::OrganizationId)).equals((Entity, Column::OrganizationId)))
        .to_owned();
    Func::coalesce([Expr::from(last), Expr::value(0)]).into()
}

/// The due jobs of organizations, those of the organization that was served longest ago first.
fn due_by_turn(places: &Places, now: Timestamp) -> Select<Entity> {
    let turn = last_turn(places.kind);
    let served = match places.turns_with {
        Some(other) => Func::greatest([turn, last_turn(other)]).into(),
        None => turn,
    };
    let jobs = Entity::find()
        .filter(Column::Kind.eq(places.kind))
        .filter(Column::NextAttemptAt.lte(now))
        .filter(Column::OrganizationId.is_not_null());
    jobs.order_by_asc(served)
        .order_by_asc(Column::NextAttemptAt)
        .order_by_asc(Column::Id)
}

/// The free places for jobs of a kind.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub kind: &'static str,
    /// See [`JobKind::TURNS_WITH`].
    pub turns_with: Option<&'static str>,
    pub limit: usize,
    /// Jobs of one organization that run at once.
    pub share: usize,
}

/// The jobs of a kind that run next: those of no organization, and of each organization of which none runs yet, the one that has been
/// due for longest, beginning with the organization that was served longest ago. If these are fewer than the free places, others too,
/// within the shares of their organizations.
///
/// Jobs that other processes are claiming are skipped, which spares PostgreSQL a conflict; a conflict that is left runs the
/// transaction again.
async fn next(tx: &impl ConnectionTrait, places: Places, now: Timestamp) -> Result<Vec<Model>, DbErr> {
    let Places { kind, limit, share, .. } = places;
    let load = async |jobs: Select<Entity>, found: &[Model]| {
        jobs.filter(Column::Id.is_not_in(found.iter().map(|job| job.id)))
            .limit(u64::try_from(limit - found.len()).unwrap_or(u64::MAX))
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .all(tx)
            .await
    };
    let running = Entity::find()
        .select_only()
        .column(Column::OrganizationId)
        .filter(Column::Kind.eq(kind))
        .filter(Column::NextAttemptAt.gt(now))
        .filter(Column::State.eq(JobState::Running))
        .filter(Column::OrganizationId.is_not_null());
    let mut found = load(due(kind, now).filter(Column::OrganizationId.is_null()), &[]).await?;
    let mut served: HashSet<OrganizationId> = HashSet::new();
    while found.len() < limit {
        let jobs = due_by_turn(&places, now)
            .filter(Column::OrganizationId.not_in_subquery(running.clone().into_query()))
            .filter(Column::OrganizationId.is_not_in(served.iter().copied()));
        let jobs = load(jobs, &found).await?;
        if jobs.is_empty() {
            break;
        }
        found.extend(
            jobs.into_iter()
                .filter(|job| job.organization_id.is_none_or(|id| served.insert(id))),
        );
    }
    if found.len() == limit {
        return Ok(found);
    }
    let mut held = count_running(tx, running).await?;
    for organization in served {
        *held.entry(organization).or_default() += 1;
    }
    while found.len() < limit {
        let full = held.iter().filter(|(_, jobs)| **jobs >= share).map(|(id, _)| *id);
        let jobs = due_by_turn(&places, now).filter(Column::OrganizationId.is_not_in(full));
        let jobs = load(jobs, &found).await?;
        if jobs.is_empty() {
            break;
        }
        let within_share = |job: &Model| {
            job.organization_id.is_none_or(|id| {
                let jobs = held.entry(id).or_default();
                *jobs += 1;
                *jobs <= share
            })
        };
        found.extend(jobs.into_iter().filter(within_share));
    }
    Ok(found)
}

/// Counts the running jobs of organizations.
async fn count_running(
    db: &impl ConnectionTrait,
    running: Select<Entity>,
) -> Result<HashMap<OrganizationId, usize>, DbErr> {
    let organizations: Vec<OrganizationId> = running.into_tuple().all(db).await?;
    let mut held = HashMap::new();
    for organization in organizations {
        *held.entry(organization).or_default() += 1;
    }
    Ok(held)
}

/// Takes the lease of up to `limit` due jobs and returns them.
pub(super) async fn claim(
    tx: &impl ConnectionTrait,
    places: Places,
    lease: LeaseId,
    now: Timestamp,
) -> Result<Claimed, DbErr> {
    let found = next(tx, places, now).await?;
    // A job that ends the process that runs it fails for good, too.
    let (exhausted, mut jobs): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|job| job.attempts >= MAX_ATTEMPTS && job.periodic_kind.is_none());
    if !exhausted.is_empty() {
        let message = format!("The job was begun {MAX_ATTEMPTS} times and never ended.");
        with_ids(end(Entity::update_many(), JobState::Failed, now), &exhausted)
            .col_expr(Column::LastError, Expr::value(message))
            .exec(tx)
            .await?;
    }
    if jobs.is_empty() {
        return Ok(Claimed { jobs, exhausted });
    }
    with_ids(Entity::update_many(), &jobs)
        .col_expr(Column::State, Expr::value(JobState::Running))
        .col_expr(Column::Attempts, Expr::col(Column::Attempts).add(1))
        .col_expr(Column::NextAttemptAt, Expr::value(now.plus(LEASE)))
        .col_expr(Column::LeaseId, Expr::value(lease))
        .col_expr(Column::StartedAt, Expr::value(now))
        .exec(tx)
        .await?;
    for job in &mut jobs {
        job.attempts = job.attempts.saturating_add(1);
        job.lease_id = Some(lease);
    }
    Ok(Claimed { jobs, exhausted })
}

fn with_ids(update: UpdateMany<Entity>, jobs: &[Model]) -> UpdateMany<Entity> {
    update.filter(Column::Id.is_in(jobs.iter().map(|job| job.id)))
}

/// The job, as long as the lease under which it was claimed is held.
fn leased(job: &Model) -> Condition {
    Condition::all()
        .add(Column::Id.eq(job.id))
        .add(Column::LeaseId.eq(job.lease_id))
}

/// The end of the lease of a running job; `None` if it is lost.
pub(super) async fn lease_end(db: &impl ConnectionTrait, job: &Model) -> Result<Option<Timestamp>, DbErr> {
    let end: Option<Option<Timestamp>> = Entity::find()
        .select_only()
        .column(Column::NextAttemptAt)
        .filter(leased(job))
        .into_tuple()
        .one(db)
        .await?;
    Ok(end.flatten())
}

/// Returns whether half of a lease is over.
pub(super) fn needs_renewal(end: Timestamp, now: Timestamp) -> bool {
    end < now.plus(LEASE / 2)
}

/// Returns whether the lease is still held.
pub(super) async fn renew(tx: &impl ConnectionTrait, job: &Model, now: Timestamp) -> Result<bool, DbErr> {
    let renewed = Entity::update_many()
        .col_expr(Column::NextAttemptAt, Expr::value(now.plus(LEASE)))
        .filter(leased(job))
        .exec(tx)
        .await?;
    Ok(renewed.rows_affected > 0)
}

/// A periodic job is queued again; others keep no payload, which nobody needs any more.
pub(super) async fn record_success(
    tx: &impl ConnectionTrait,
    job: &Model,
    interval: Option<TimeDelta>,
    now: Timestamp,
) -> Result<(), DbErr> {
    let update = match interval {
        Some(interval) => requeue(now.plus(interval))
            .col_expr(Column::Attempts, Expr::value(0))
            .col_expr(Column::FinishedAt, Expr::value(now)),
        None => end(without_payload(), JobState::Succeeded, now),
    };
    update
        .col_expr(Column::LastError, Expr::value(None::<String>))
        .filter(leased(job))
        .exec(tx)
        .await?;
    Ok(())
}

/// Periodic jobs never fail for good, and wait no longer than usual. Returns whether the job has failed for good.
pub(super) async fn record_failure(
    tx: &impl ConnectionTrait,
    job: &Model,
    error: &JobError,
    interval: Option<TimeDelta>,
    now: Timestamp,
) -> Result<bool, DbErr> {
    let retryable = matches!(error, JobError::Retryable(_));
    let next = match interval {
        Some(interval) if retryable => Some(now.plus(delay(job.attempts).min(interval))),
        Some(interval) => Some(now.plus(interval)),
        None if retryable && job.attempts < MAX_ATTEMPTS => Some(now.plus(delay(job.attempts))),
        None => None,
    };
    let update = match next {
        Some(next) => requeue(next),
        None => end(Entity::update_many(), JobState::Failed, now),
    };
    // Errors may quote what another server has sent: any characters, any length.
    let text: String = error
        .to_string()
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_ERROR)
        .collect();
    let recorded = update
        .col_expr(Column::LastError, Expr::value(text))
        .filter(leased(job))
        .exec(tx)
        .await?;
    Ok(next.is_none() && recorded.rows_affected > 0)
}

/// Cancels a job that has not ended, for a change that makes it needless: nothing is told of it to its kind.
pub async fn cancel(tx: &impl ConnectionTrait, id: JobId, now: Timestamp) -> Result<(), DbErr> {
    let update = end(without_payload(), JobState::Cancelled, now);
    update
        .filter(Column::Id.eq(id))
        .filter(Column::NextAttemptAt.is_not_null())
        .exec(tx)
        .await?;
    Ok(())
}

/// Lets a job that waits for another attempt run at once. Returns whether the job waits.
pub async fn make_due(tx: &impl ConnectionTrait, id: JobId, now: Timestamp) -> Result<bool, DbErr> {
    let waiting = queued_until(now).filter(Column::Id.eq(id));
    Ok(waiting.exec(tx).await?.rows_affected > 0)
}

/// Lets those of some jobs run at once that would wait for longer than `patience`.
pub async fn hasten(
    tx: &impl ConnectionTrait,
    jobs: impl IntoIterator<Item = JobId>,
    patience: TimeDelta,
    now: Timestamp,
) -> Result<(), DbErr> {
    let waiting = queued_until(now)
        .filter(Column::Id.is_in(jobs))
        .filter(Column::NextAttemptAt.gt(now.plus(patience)));
    waiting.exec(tx).await?;
    Ok(())
}

/// Puts the running job back into the queue, as one of a kind with the same payload, in the transaction of what it did: nothing else is
/// recorded of this run. Returns whether its lease was still held.
pub async fn run_again<K: JobKind>(tx: &impl ConnectionTrait, job: &JobContext, due: Timestamp) -> Result<bool, DbErr> {
    let queued = requeue(due)
        .col_expr(Column::Kind, Expr::value(K::NAME))
        .col_expr(Column::Attempts, Expr::value(0))
        .filter(Column::Id.eq(job.id))
        .filter(Column::LeaseId.eq(job.lease));
    Ok(queued.exec(tx).await?.rows_affected > 0)
}

/// Moves the next attempt of queued jobs.
fn queued_until(next: Timestamp) -> UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::NextAttemptAt, Expr::value(next))
        .filter(Column::State.eq(JobState::Queued))
}

fn requeue(next: Timestamp) -> UpdateMany<Entity> {
    Entity::update_many()
        .col_expr(Column::State, Expr::value(JobState::Queued))
        .col_expr(Column::NextAttemptAt, Expr::value(next))
        .col_expr(Column::LeaseId, Expr::value(None::<LeaseId>))
}

fn end(update: UpdateMany<Entity>, state: JobState, now: Timestamp) -> UpdateMany<Entity> {
    update
        .col_expr(Column::State, Expr::value(state))
        .col_expr(Column::NextAttemptAt, Expr::value(None::<Timestamp>))
        .col_expr(Column::LeaseId, Expr::value(None::<LeaseId>))
        .col_expr(Column::FinishedAt, Expr::value(now))
}

fn without_payload() -> UpdateMany<Entity> {
    Entity::update_many().col_expr(Column::Payload, Expr::value(JsonValue::Null))
}

/// Up to a batch of ids.
pub(super) async fn some_ids(db: &impl ConnectionTrait, jobs: Condition) -> Result<Vec<JobId>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(jobs)
        .limit(PURGE_BATCH)
        .into_tuple()
        .all(db)
        .await
}
