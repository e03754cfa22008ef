//! Exports in the database.

use chrono::TimeDelta;
use entity::{
    authoring::pdf_exports::{Column, Entity, Model, PdfExportState as State},
    ids::{NodeId, OrganizationId, PdfExportId, RevisionId},
    library::nodes,
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::{db::Tx, hash::Hash};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, JsonValue,
    QueryFilter, QueryOrder, QuerySelect, sea_query::Expr,
};

use crate::kernel::Kernel;

/// Exports of an organization that may wait to be made.
const MAX_QUEUED: u64 = 50;

/// Seconds after which an organization with too many exports should try again.
const RETRY_AFTER: u32 = 30;

/// The time that exports are kept after their last use. Longer than their addresses are valid.
const RETENTION: TimeDelta = TimeDelta::days(7);

/// The time after which an export that failed, or that nobody makes, is forgotten: the next request tries again.
const RETRY: TimeDelta = TimeDelta::hours(1);
const STALE: TimeDelta = TimeDelta::days(1);

/// How exact the time of the last use is.
const USE_PRECISION: TimeDelta = TimeDelta::hours(1);

/// Exports of one transaction.
const PURGE_BATCH: u64 = 500;

#[derive(Clone)]
pub struct NewExport {
    pub organization: OrganizationId,
    pub space: NodeId,
    pub revision: RevisionId,
    pub fingerprint: Hash,
    pub file_name: String,
    pub parameters: JsonValue,
}

/// What became of an export.
#[derive(Clone, Debug)]
pub enum Outcome {
    Ready(Hash),
    Failed(&'static str),
}

pub async fn find(db: &impl ConnectionTrait, id: PdfExportId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id).one(db).await
}

/// Finds an export of a space that is not deleted.
pub async fn find_shown(db: &impl ConnectionTrait, id: PdfExportId) -> Result<Option<Model>, DbErr> {
    let Some(found) = find(db, id).await? else {
        return Ok(None);
    };
    let space = nodes::Entity::find_by_id(found.space_id).filter(nodes::Column::DeletedAt.is_null());
    Ok(space.one(db).await?.map(|_| found))
}

/// Finds the export of the same content.
pub async fn find_same(db: &impl ConnectionTrait, new: &NewExport, now: Timestamp) -> Result<Option<Model>, DbErr> {
    let found = Entity::find()
        .filter(Column::SpaceId.eq(new.space))
        .filter(Column::Fingerprint.eq(new.fingerprint.to_vec()))
        .one(db)
        .await?;
    Ok(found.filter(|found| !is_forgotten(found, now)))
}

fn is_forgotten(export: &Model, now: Timestamp) -> bool {
    match export.state {
        State::Ready => false,
        State::Failed => export.used_at <= now.plus(-RETRY),
        State::Queued => export.used_at <= now.plus(-STALE),
    }
}

/// Inserts an export in the place of a forgotten one of the same content.
pub async fn insert(tx: &Tx, id: PdfExportId, new: NewExport, now: Timestamp) -> Result<Model, DbErr> {
    let forgotten = Entity::delete_many()
        .filter(Column::SpaceId.eq(new.space))
        .filter(Column::Fingerprint.eq(new.fingerprint.to_vec()));
    forgotten.exec(tx).await?;
    let row = Model {
        id,
        organization_id: new.organization,
        space_id: new.space,
        fingerprint: new.fingerprint.to_vec(),
        revision_id: new.revision,
        parameters: Some(new.parameters),
        state: State::Queued,
        hash: None,
        problem: None,
        file_name: new.file_name,
        created_at: now,
        used_at: now,
    };
    row.into_active_model().reset_all().insert(tx).await
}

/// Refuses if too many exports of the organization wait.
pub async fn refuse_too_many(tx: &Tx, organization: OrganizationId) -> Result<(), ApiError> {
    let queued: Vec<PdfExportId> = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::OrganizationId.eq(organization))
        .filter(Column::State.eq(State::Queued))
        .limit(MAX_QUEUED)
        .into_tuple()
        .all(tx)
        .await?;
    match u64::try_from(queued.len()) {
        Ok(count) if count < MAX_QUEUED => Ok(()),
        _ => {
            let message =
                "The organization waits for too many PDFs. Retry after the number of seconds in `Retry-After`.";
            Err(ApiError::too_many_requests(message, RETRY_AFTER))
        }
    }
}

/// Records the use of an export, unless a use a moment ago is recorded.
pub async fn touch(kernel: &Kernel, found: Model, now: Timestamp) -> Result<Model, ApiError> {
    if found.state != State::Ready || found.used_at > now.plus(-USE_PRECISION) {
        return Ok(found);
    }
    let id = found.id;
    let work = move |tx: Tx| async move {
        Entity::update_many()
            .col_expr(Column::UsedAt, Expr::value(now))
            .filter(Column::Id.eq(id))
            .exec(&tx)
            .await
            .map(drop)
    };
    kernel.db.write(work).await?;
    Ok(found)
}

/// Records the end of an export. Claims of visitors are kept no longer.
pub async fn finish(kernel: &Kernel, id: PdfExportId, outcome: Outcome) -> Result<(), DbErr> {
    let now = kernel.clock.now();
    kernel
        .db
        .write(move |tx| async move { set_outcome(&tx, id, outcome, now).await })
        .await
}

/// Like [`finish`], in a transaction.
pub async fn set_outcome(tx: &Tx, id: PdfExportId, outcome: Outcome, now: Timestamp) -> Result<(), DbErr> {
    let (state, hash, problem) = match outcome {
        Outcome::Ready(hash) => (State::Ready, Some(hash.to_vec()), None),
        Outcome::Failed(problem) => (State::Failed, None, Some(problem)),
    };
    Entity::update_many()
        .col_expr(Column::State, Expr::value(state))
        .col_expr(Column::Hash, Expr::value(hash))
        .col_expr(Column::Problem, Expr::value(problem))
        .col_expr(Column::Parameters, Expr::value(None::<JsonValue>))
        .col_expr(Column::UsedAt, Expr::value(now))
        .filter(Column::Id.eq(id))
        .filter(Column::State.eq(State::Queued))
        .exec(tx)
        .await
        .map(drop)
}

/// Removes exports that nobody has used for long, and those that a request would make anew.
pub async fn purge(kernel: &Kernel) -> Result<(), DbErr> {
    let now = kernel.clock.now();
    let unused = |state: State, kept: TimeDelta| {
        let old = Column::UsedAt.lte(now.plus(-kept));
        Condition::all().add(Column::State.eq(state)).add(old)
    };
    let unused = Condition::any()
        .add(unused(State::Ready, RETENTION))
        .add(unused(State::Failed, RETRY))
        .add(unused(State::Queued, STALE));
    loop {
        let ids: Vec<PdfExportId> = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(unused.clone())
            .order_by_asc(Column::Id)
            .limit(PURGE_BATCH)
            .into_tuple()
            .all(kernel.db.read())
            .await?;
        if ids.is_empty() {
            return Ok(());
        }
        let unused = unused.clone();
        let work = move |tx: Tx| async move {
            let gone = Entity::delete_many().filter(Column::Id.is_in(ids)).filter(unused);
            gone.exec(&tx).await.map(drop)
        };
        kernel.db.write(work).await?;
    }
}
