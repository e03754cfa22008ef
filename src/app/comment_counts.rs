//! Numbers of comments, kept as comments change, so that no read counts them.
//!
//! A list of comments has a row with its numbers. SQLite has one writer, which updates the row in place. On PostgreSQL
//! concurrent writers of one row would wait for each other and be retried, so each appends its change as a part of its
//! own, and the numbers of a list are the sum of its parts. Parts are summed up every [`PARTS`] changes, and by a periodic
//! job, so that a read meets few of them.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use chrono::TimeDelta;
use entity::{
    comments::{
        self, CommentStatus,
        counts::{Column, Entity, Model},
    },
    ids::NodeId,
};
use platform::{
    db::{Backend, Db, QueryTemplate, ReadRows, count, positional},
    jobs::{JobContext, JobError, JobKind, PeriodicJob},
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Func, IntoColumnRef, OnConflict, Query, SelectStatement},
};
use uuid::Uuid;

/// Changes of this process after which it sums parts up.
const PARTS: u32 = 128;

/// Parts that one transaction sums up.
const BATCH: u64 = 1_000;

/// The part that is the sum of earlier ones.
const SUM: Uuid = Uuid::nil();

/// The numbers of comments of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommentCounts {
    pub comments: u64,
    pub open: u64,
}

impl CommentCounts {
    /// The number of comments with this status, or of all.
    pub fn with_status(self, status: Option<CommentStatus>) -> u64 {
        match status {
            None => self.comments,
            Some(CommentStatus::Open) => self.open,
            Some(CommentStatus::Resolved) => self.comments.saturating_sub(self.open),
        }
    }
}

platform::computed_row! {
    /// The sums of the parts of a list.
    struct CountsRow from CountsExpressions {
        list: Uuid,
        comments: i64,
        open: i64,
    }
}

impl CountsRow {
    fn counts(&self) -> CommentCounts {
        CommentCounts {
            comments: count(self.comments),
            open: count(self.open),
        }
    }
}

/// The numbers of these lists, without those that never had a comment. One query.
pub async fn load(db: &impl ReadRows, lists: Vec<Uuid>) -> Result<HashMap<Uuid, CommentCounts>, DbErr> {
    if lists.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<CountsRow> = positional::rows(db, &sums_of(lists)).await?;
    Ok(rows.into_iter().map(|row| (row.list, row.counts())).collect())
}

/// The numbers of one list.
pub async fn load_one(db: &impl ReadRows, list: Uuid) -> Result<CommentCounts, DbErr> {
    static TEMPLATE: QueryTemplate<1> = QueryTemplate::new();
    let query = TEMPLATE.statement(db.get_database_backend(), [list], |[list]| sums_of(vec![list]));
    let row: Option<CountsRow> = positional::row(db, query).await?;
    Ok(row.map_or(CommentCounts::default(), |row| row.counts()))
}

fn sums_of(lists: Vec<Uuid>) -> SelectStatement {
    let sums = CountsExpressions {
        list: Expr::col(Column::ListId),
        comments: Func::sum(Expr::col(Column::Comments)).into(),
        open: Func::sum(Expr::col(Column::Open)).into(),
    };
    sums.select()
        .from(Entity)
        .and_where(Expr::col(Column::ListId).is_in(lists))
        .group_by_col(Column::ListId)
        .take()
}

/// The number of open comments as an expression of a query. `list` is the column with the id of the space or change
/// request.
pub fn open_of(list: impl IntoColumnRef) -> Expr {
    let column = |column: Column| Expr::col((Entity, column));
    let sum = Func::coalesce([Func::sum(column(Column::Open)).into(), Expr::value(0)]);
    let query = Query::select()
        .expr(sum)
        .from(Entity)
        .and_where(column(Column::ListId).equals(list))
        .take();
    query.into()
}

/// A change of the numbers of a list.
pub struct CountChange {
    list: Uuid,
    space: NodeId,
    comments: i32,
    open: i32,
}

impl CountChange {
    pub fn added(comment: &comments::Model) -> Self {
        Self::of(comment, 1, i32::from(comment.status == CommentStatus::Open))
    }

    pub fn removed(comment: &comments::Model) -> Self {
        Self::of(comment, -1, -i32::from(comment.status == CommentStatus::Open))
    }

    pub fn resolved(comment: &comments::Model, resolved: bool) -> Self {
        Self::of(comment, 0, if resolved { -1 } else { 1 })
    }

    fn of(comment: &comments::Model, comments: i32, open: i32) -> Self {
        Self {
            list: comment.list_id,
            space: comment.space_id,
            comments,
            open,
        }
    }

    /// Writes the change in the transaction that changes the comment. `part` is a new id.
    pub async fn write(self, db: &impl ConnectionTrait, part: Uuid) -> Result<(), DbErr> {
        let part_id = match db.get_database_backend() {
            DbBackend::Sqlite => SUM,
            _ => part,
        };
        add(db, vec![self.into_part(part_id)]).await
    }

    fn into_part(self, part_id: Uuid) -> Model {
        Model {
            list_id: self.list,
            part_id,
            space_id: self.space,
            comments: self.comments,
            open: self.open,
        }
    }
}

/// Adds numbers to parts, which are made if they do not exist.
async fn add(db: &impl ConnectionTrait, parts: Vec<Model>) -> Result<(), DbErr> {
    let sum = |column: Column| Expr::col((Entity, column)).add(Expr::col(("excluded", column)));
    let add = OnConflict::columns([Column::ListId, Column::PartId])
        .values([Column::Comments, Column::Open].map(|column| (column, sum(column))))
        .to_owned();
    Entity::insert_many(parts.into_iter().map(|part| part.into_active_model().reset_all()))
        .on_conflict(add)
        .exec_without_returning(db)
        .await?;
    Ok(())
}

/// Deletes the numbers of a list whose comments are deleted with it.
pub async fn remove(db: &impl ConnectionTrait, list: Uuid) -> Result<(), DbErr> {
    Entity::delete_many().filter(Column::ListId.eq(list)).exec(db).await?;
    Ok(())
}

/// Summing up of parts, before there are many.
#[derive(Clone)]
pub struct CommentParts(Arc<PartsState>);

struct PartsState {
    db: Db,
    /// Changes of this process.
    changes: AtomicU32,
}

impl CommentParts {
    pub fn new(db: Db) -> Self {
        let changes = AtomicU32::new(0);
        Self(Arc::new(PartsState { db, changes }))
    }

    /// Called after a change is committed. The change stands whether or not the parts can be summed up.
    pub async fn changed(&self) {
        if self.0.db.backend() == Backend::Sqlite {
            return;
        }
        let earlier = self.0.changes.fetch_add(1, Ordering::Relaxed);
        if earlier % PARTS == PARTS - 1
            && let Err(error) = self.sum_up().await
        {
            tracing::warn!(%error, "numbers of comments cannot be summed up; a job tries again");
        }
    }

    /// Replaces the parts of each list by their sum.
    pub async fn sum_up(&self) -> Result<(), DbErr> {
        while self.0.db.write(|tx| async move { sum_up_batch(&tx).await }).await? == BATCH {}
        Ok(())
    }
}

/// Returns the number of parts that were summed up: the oldest, up to [`BATCH`].
async fn sum_up_batch(tx: &impl ConnectionTrait) -> Result<u64, DbErr> {
    let oldest = Entity::find()
        .filter(Column::PartId.gt(SUM))
        .order_by_asc(Column::PartId)
        .limit(BATCH);
    let parts: Vec<Model> = oldest.all(tx).await?;
    let Some(last) = parts.last().map(|part| part.part_id) else {
        return Ok(0);
    };
    let summed = u64::try_from(parts.len()).unwrap_or(BATCH);
    // The transaction sees one state of the table, so these are the parts that it has read.
    Entity::delete_many()
        .filter(Column::PartId.gt(SUM))
        .filter(Column::PartId.lte(last))
        .exec(tx)
        .await?;
    let mut sums: HashMap<Uuid, CountChange> = HashMap::new();
    for part in parts {
        let sum = sums.entry(part.list_id).or_insert(CountChange {
            list: part.list_id,
            space: part.space_id,
            comments: 0,
            open: 0,
        });
        sum.comments = sum.comments.saturating_add(part.comments);
        sum.open = sum.open.saturating_add(part.open);
    }
    // In one order, so that two that sum up at once do not wait for each other in a circle.
    let mut sums: Vec<Model> = sums.into_values().map(|sum| sum.into_part(SUM)).collect();
    sums.sort_unstable_by_key(|sum| sum.list_id);
    add(tx, sums).await?;
    Ok(summed)
}

/// Sums up the parts that processes have left when they ended.
pub struct SumUpCommentCounts(pub CommentParts);

impl JobKind for SumUpCommentCounts {
    const NAME: &'static str = "sum-up-comment-counts";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(self.0.sum_up().await?)
    }
}

impl PeriodicJob for SumUpCommentCounts {
    const INTERVAL: TimeDelta = TimeDelta::minutes(5);
}
