//! Numbers that are kept as rows change, so that no read counts the rows.
//!
//! SQLite has one writer, which updates a number in place. On PostgreSQL concurrent writers of one number would wait for
//! each other and be retried, so each appends its change as a part of its own, and the number is the sum of its parts.
//! Parts are summed up every [`PARTS`] changes, and by a periodic job, so that a read meets few of them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use chrono::TimeDelta;
use entity::authoring::comments::{counts, reaction_counts};
use platform::{
    db::{Backend, Db, Tx},
    jobs::{JobContext, JobError, JobKind, PeriodicJob},
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, IntoActiveModel, Iterable,
    ModelTrait, PrimaryKeyToColumn, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, OnConflict},
};
use uuid::Uuid;

/// Changes of this process after which it sums parts up.
const PARTS: u32 = 128;

/// Parts that one transaction sums up.
const BATCH: u64 = 1_000;

/// The part that is the sum of earlier ones.
const SUM: Uuid = Uuid::nil();

type ColumnOf<P> = <<P as ModelTrait>::Entity as EntityTrait>::Column;
type ActiveModelOf<P> = <<P as ModelTrait>::Entity as EntityTrait>::ActiveModel;

/// A row with a part of some numbers. Its primary key is what is counted, and the id of the part.
pub(super) trait CountPart:
    ModelTrait<Entity: EntityTrait<Model = Self>> + IntoActiveModel<ActiveModelOf<Self>>
{
    /// The key of the object that the numbers belong to.
    type Counted: Ord;

    const PART_ID: ColumnOf<Self>;
    /// The numbers.
    const NUMBERS: &'static [ColumnOf<Self>];

    fn counted(&self) -> Self::Counted;
    fn part_id(&self) -> Uuid;
    fn add(&mut self, other: &Self);
    fn is_zero(&self) -> bool;
    fn into_sum(self) -> Self;
}

/// The id of the part that a change is added to. `change` is a new id.
pub(super) fn part_of_change(db: &impl ConnectionTrait, change: Uuid) -> Uuid {
    match db.get_database_backend() {
        DbBackend::Sqlite => SUM,
        _ => change,
    }
}

/// Adds numbers to parts, which are made if they do not exist.
pub(super) async fn add<P: CountPart>(tx: &Tx, parts: Vec<P>) -> Result<(), DbErr> {
    if parts.is_empty() {
        return Ok(());
    }
    let entity = P::Entity::default();
    let sum = |column: ColumnOf<P>| Expr::col((entity, column)).add(Expr::col(("excluded", column)));
    let key = <P::Entity as EntityTrait>::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column);
    let add = OnConflict::columns(key)
        .values(P::NUMBERS.iter().map(|column| (*column, sum(*column))))
        .to_owned();
    let insert = P::Entity::insert_many(parts.into_iter().map(|part| part.into_active_model().reset_all()));
    tx.execute_later(&insert.on_conflict(add).into_query()).await
}

/// Summing up of parts, before there are many.
#[derive(Clone)]
pub struct CountParts(Arc<PartsState>);

struct PartsState {
    db: Db,
    /// Changes of this process.
    changes: AtomicU32,
}

impl CountParts {
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

    /// Replaces the parts of each number by their sum.
    pub async fn sum_up(&self) -> Result<(), DbErr> {
        let db = &self.0.db;
        while db
            .write(|tx| async move { sum_up_batch::<counts::Model>(&tx).await })
            .await?
            == BATCH
        {}
        while db
            .write(|tx| async move { sum_up_batch::<reaction_counts::Model>(&tx).await })
            .await?
            == BATCH
        {}
        Ok(())
    }
}

/// Returns the number of parts that were summed up: the oldest, up to [`BATCH`].
async fn sum_up_batch<P: CountPart>(tx: &Tx) -> Result<u64, DbErr> {
    let oldest = P::Entity::find()
        .filter(P::PART_ID.gt(SUM))
        .order_by_asc(P::PART_ID)
        .limit(BATCH);
    let parts: Vec<P> = oldest.all(tx).await?;
    let Some(last) = parts.last().map(P::part_id) else {
        return Ok(0);
    };
    let summed = u64::try_from(parts.len()).unwrap_or(BATCH);
    // The transaction sees one state of the table, so these are the parts that it has read.
    P::Entity::delete_many()
        .filter(P::PART_ID.gt(SUM))
        .filter(P::PART_ID.lte(last))
        .exec(tx)
        .await?;
    // In one order, so that two that sum up at once do not wait for each other in a circle.
    let mut sums: BTreeMap<P::Counted, P> = BTreeMap::new();
    for part in parts {
        match sums.get_mut(&part.counted()) {
            Some(sum) => sum.add(&part),
            None => drop(sums.insert(part.counted(), part)),
        }
    }
    let sums = sums.into_values().filter(|sum| !sum.is_zero());
    add(tx, sums.map(P::into_sum).collect()).await?;
    Ok(summed)
}

impl CountPart for counts::Model {
    type Counted = Uuid;

    const PART_ID: counts::Column = counts::Column::PartId;
    const NUMBERS: &'static [counts::Column] = &[counts::Column::Comments, counts::Column::Open];

    fn counted(&self) -> Uuid {
        self.list_id
    }

    fn part_id(&self) -> Uuid {
        self.part_id
    }

    fn add(&mut self, other: &Self) {
        self.comments = self.comments.saturating_add(other.comments);
        self.open = self.open.saturating_add(other.open);
    }

    fn is_zero(&self) -> bool {
        (self.comments, self.open) == (0, 0)
    }

    fn into_sum(self) -> Self {
        Self { part_id: SUM, ..self }
    }
}

impl CountPart for reaction_counts::Model {
    type Counted = (Uuid, String);

    const PART_ID: reaction_counts::Column = reaction_counts::Column::PartId;
    const NUMBERS: &'static [reaction_counts::Column] = &[reaction_counts::Column::Reactions];

    fn counted(&self) -> (Uuid, String) {
        (*self.comment_id.as_uuid(), self.emoji.clone())
    }

    fn part_id(&self) -> Uuid {
        self.part_id
    }

    fn add(&mut self, other: &Self) {
        self.reactions = self.reactions.saturating_add(other.reactions);
    }

    fn is_zero(&self) -> bool {
        self.reactions == 0
    }

    fn into_sum(self) -> Self {
        Self { part_id: SUM, ..self }
    }
}

/// Sums up the parts that processes have left when they ended.
pub struct SumUpCounts(pub CountParts);

impl JobKind for SumUpCounts {
    const NAME: &'static str = "sum-up-comment-counts";
    type Payload = ();

    async fn run(&self, _: &JobContext, (): ()) -> Result<(), JobError> {
        Ok(self.0.sum_up().await?)
    }
}

impl PeriodicJob for SumUpCounts {
    const INTERVAL: TimeDelta = TimeDelta::minutes(5);
}
