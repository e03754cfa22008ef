//! Import runs in the database, each query within an organization or by the job of the run.

use chrono::TimeDelta;
use entity::{
    exchange::import_runs::{Column, Entity, ImportRunStatus as Status, Model},
    ids::{ImportRunId, JobId, NodeId, OrganizationId, SiteId},
    timestamp::Timestamp,
};
use openapi::{error::ApiError, models::ListImportRunsStatus};
use platform::db::{Keyset, Tx, rows};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, Iterable, JsonValue,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, Value},
};
use serde::Serialize;

use crate::{
    access::node_levels::{Member, is_visible_space},
    areas::joins::site_spaces,
};

/// Runs of an organization that may wait or run.
const MAX_ACTIVE: usize = 5;
/// Seconds after which an organization with too many runs should try again.
const RETRY_AFTER: u32 = 60;
/// The time for which runs that have ended are kept.
const RETENTION: TimeDelta = TimeDelta::days(30);
const ACTIVE: [Status; 2] = [Status::Pending, Status::InProgress];

pub fn is_active(status: Status) -> bool {
    ACTIVE.contains(&status)
}

#[derive(Serialize)]
pub struct Filter {
    pub space: Option<NodeId>,
    pub site: Option<SiteId>,
    pub status: Option<ListImportRunsStatus>,
}

pub fn of(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization))
}

/// The newest first.
pub fn order() -> Keyset {
    Keyset::descending([(Entity, Column::Id)])
}

/// Narrows a query down to the runs that a filter selects, of those into spaces that a member may read.
pub fn visible_to(member: &Member, filter: &Filter, runs: Select<Entity>) -> Select<Entity> {
    let statuses = filter.status.map(|status| match status {
        ListImportRunsStatus::Active => ACTIVE.to_vec(),
        ListImportRunsStatus::Pending => vec![Status::Pending],
        ListImportRunsStatus::InProgress => vec![Status::InProgress],
        ListImportRunsStatus::Completed => vec![Status::Completed],
        ListImportRunsStatus::Failed => vec![Status::Failed],
        ListImportRunsStatus::Cancelled => vec![Status::Cancelled],
    });
    runs.filter(is_visible_space(member, (Entity, Column::SpaceId)))
        .apply_if(filter.space, |runs, space| runs.filter(Column::SpaceId.eq(space)))
        .apply_if(filter.site, |runs, site| {
            runs.filter(Column::SpaceId.in_subquery(site_spaces::in_site(site)))
        })
        .apply_if(statuses, |runs, statuses| runs.filter(Column::Status.is_in(statuses)))
}

/// Loads the runs that a query finds, in its order, without what they have made.
pub async fn load_page(db: &impl ConnectionTrait, page: Select<Entity>) -> Result<Vec<Model>, DbErr> {
    let ids = page.select_only().column(Column::Id).into_query();
    Entity::find()
        .select_only()
        .columns(Column::iter().filter(|column| !matches!(column, Column::Outcome)))
        .expr_as(Expr::cust("NULL"), "outcome")
        .filter(Column::Id.in_subquery(ids))
        .order_by_desc(Column::Id)
        .all(db)
        .await
}

/// Writes a run that waits, and forgets old ones.
pub async fn insert(tx: &Tx, row: &Model, now: Timestamp) -> Result<(), ApiError> {
    let active: Vec<ImportRunId> = of(row.organization_id)
        .select_only()
        .column(Column::Id)
        .filter(Column::Status.is_in(ACTIVE))
        .into_tuple()
        .all(tx)
        .await?;
    if active.len() >= MAX_ACTIVE {
        let message =
            "Too many imports of the organization wait or run. Retry after the number of seconds in `Retry-After`.";
        return Err(ApiError::too_many_requests(message, RETRY_AFTER));
    }
    Entity::delete_many()
        .filter(Column::OrganizationId.eq(row.organization_id))
        .filter(Column::EndedAt.lt(now.plus(-RETENTION)))
        .exec(tx)
        .await?;
    Ok(rows::insert(tx, row).await?)
}

/// Locks a run and returns it as it is now.
pub async fn lock(tx: &Tx, organization: OrganizationId, id: ImportRunId) -> Result<Model, ApiError> {
    let found = of(organization)
        .filter(Column::Id.eq(id))
        .lock_exclusive()
        .one(tx)
        .await?;
    found.ok_or_else(|| ApiError::not_found("import run"))
}

/// Locks a run, unless it has ended or is not the run of this job.
pub async fn lock_active(tx: &Tx, id: ImportRunId, job: JobId) -> Result<Option<Model>, DbErr> {
    let found = Entity::find_by_id(id)
        .filter(Column::JobId.eq(job))
        .filter(Column::Status.is_in(ACTIVE));
    found.lock_exclusive().one(tx).await
}

/// Marks a run as one that runs.
pub async fn begin(tx: &Tx, row: Model, now: Timestamp) -> Result<Model, DbErr> {
    let begun = Model {
        status: Status::InProgress,
        started_at: row.started_at.or(Some(now)),
        updated_at: now,
        ..row
    };
    begun.into_active_model().reset_all().update(tx).await
}

pub async fn end(tx: &Tx, row: Model, status: Status, reason: Option<String>, now: Timestamp) -> Result<Model, DbErr> {
    let ended = Model {
        status,
        reason,
        secret: None,
        ended_at: Some(now),
        updated_at: now,
        ..row
    };
    ended.into_active_model().reset_all().update(tx).await
}

/// Ends a run with what it has made.
pub async fn complete(tx: &Tx, id: ImportRunId, job: JobId, outcome: JsonValue, now: Timestamp) -> Result<(), DbErr> {
    Entity::update_many()
        .col_expr(Column::Status, Expr::value(Status::Completed))
        .col_expr(Column::Outcome, Expr::value(outcome))
        .col_expr(Column::Secret, Expr::value(Value::Bytes(None)))
        .col_expr(Column::EndedAt, Expr::value(now))
        .col_expr(Column::UpdatedAt, Expr::value(now))
        .filter(Column::Id.eq(id))
        .filter(Column::JobId.eq(job))
        .filter(Column::Status.is_in(ACTIVE))
        .exec(tx)
        .await?;
    Ok(())
}
