//! The inbox: batches that are committed before their senders get an answer, until the engine has stored them.

use std::sync::{Mutex, PoisonError};

use chrono::TimeDelta;
use entity::{
    ids::{InsightBatchId, InsightChunkId, SiteId},
    insights::{
        batches::{Column, Entity, Model},
        days, digests,
    },
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::{Tx, rows};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use super::engine::{Chunk, EngineError, batches};
use crate::kernel::Kernel;

/// Batches that may wait. More are refused: the engine is away, or does not keep up.
const MAX_BATCHES: u64 = 100_000;

/// From here on the inbox counts as late.
const LATE_BATCHES: u64 = MAX_BATCHES / 2;

/// The time for which the number of batches is not counted again.
const CACHE_TTL: TimeDelta = TimeDelta::seconds(1);

/// Seconds after which a caller sends a refused batch again.
const RETRY_AFTER: u32 = 30;

/// Batches of a chunk, at most.
const CHUNK_BATCHES: u64 = 1000;

/// Decoded bytes of a chunk, at most, unless a single batch has more. Its events are written in one transaction.
const CHUNK_BYTES: i64 = 16 * 1024 * 1024;

/// Decoded bytes of the events that a site takes on a day (UTC).
const MAX_BYTES_PER_DAY: i64 = 2 * 1024 * 1024 * 1024;

pub struct Inbox {
    kernel: Kernel,
    /// When the batches were counted, and their number.
    counted: Mutex<Option<(Timestamp, u64)>>,
}

impl Inbox {
    pub fn new(kernel: &Kernel) -> Self {
        Self {
            kernel: kernel.clone(),
            counted: Mutex::new(None),
        }
    }

    /// Refuses a batch while too many wait.
    pub async fn require_room(&self) -> Result<(), ApiError> {
        if self.waiting().await? < MAX_BATCHES {
            return Ok(());
        }
        let message = "Too many events wait to be processed. Retry after the number of seconds in `Retry-After`.";
        Err(ApiError::overloaded(message, RETRY_AFTER))
    }

    /// Returns whether many batches wait.
    pub async fn is_late(&self) -> Result<bool, DbErr> {
        Ok(self.waiting().await? >= LATE_BATCHES)
    }

    async fn waiting(&self) -> Result<u64, DbErr> {
        let now = self.kernel.clock.now();
        let known = *self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, count)) = known
            && at.is_recent(now, CACHE_TTL)
        {
            return Ok(count);
        }
        let count = Entity::find().count(self.kernel.db.read()).await?;
        *self.counted.lock().unwrap_or_else(PoisonError::into_inner) = Some((now, count));
        Ok(count)
    }
}

/// Adds a batch, unless one with the digest is there already. Returns whether it was added.
pub async fn insert(tx: &Tx, batch: &Model, digest: Option<Vec<u8>>) -> Result<bool, DbErr> {
    if let Some(digest) = digest {
        let row = digests::Model {
            site_id: batch.site_id,
            digest,
            received_at: batch.received_at,
        };
        let once = OnConflict::columns([digests::Column::SiteId, digests::Column::Digest])
            .do_nothing()
            .to_owned();
        let inserted = digests::Entity::insert(row.into_active_model().reset_all())
            .on_conflict(once)
            .exec_without_returning(tx)
            .await?;
        if inserted == 0 {
            return Ok(false);
        }
    }
    rows::insert(tx, batch).await?;
    let row = days::Model {
        site_id: batch.site_id,
        day: day_of(batch.received_at),
        bytes: batch.bytes,
    };
    let sum = Expr::col((days::Entity, days::Column::Bytes)).add(batch.bytes);
    let add = OnConflict::columns([days::Column::SiteId, days::Column::Day])
        .value(days::Column::Bytes, sum)
        .to_owned();
    days::Entity::insert(row.into_active_model().reset_all())
        .on_conflict(add)
        .exec_without_returning(tx)
        .await?;
    Ok(true)
}

/// Refuses events of a site that has taken its bytes of the day.
pub async fn require_share_of_day(db: &impl ConnectionTrait, site: SiteId, now: Timestamp) -> Result<(), ApiError> {
    let row = days::Entity::find_by_id((site, day_of(now))).one(db).await?;
    if row.is_none_or(|row| row.bytes < MAX_BYTES_PER_DAY) {
        return Ok(());
    }
    let rest = DAY - now.as_millis().rem_euclid(DAY);
    let message = "The site has taken 2 GiB of events today (UTC). Retry after the number of seconds in `Retry-After`.";
    let seconds = u32::try_from(rest / 1000 + 1).unwrap_or(u32::MAX);
    Err(ApiError::too_many_requests(message, seconds))
}

/// Removes what was counted of the days before that of `time`.
pub async fn forget_days_before(kernel: &Kernel, time: Timestamp) -> Result<(), DbErr> {
    let old = days::Entity::find().filter(days::Column::Day.lt(day_of(time)));
    rows::remove_in_steps(&kernel.db, old).await
}

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Days since 1970, UTC.
fn day_of(time: Timestamp) -> i32 {
    i32::try_from(time.as_millis().div_euclid(DAY)).unwrap_or(i32::MAX)
}

/// The sites with batches.
pub async fn sites(db: &impl ConnectionTrait) -> Result<Vec<SiteId>, DbErr> {
    Entity::find()
        .select_only()
        .column(Column::SiteId)
        .distinct()
        .order_by_asc(Column::SiteId)
        .into_tuple()
        .all(db)
        .await
}

/// The next chunk of a site: the one that an earlier attempt has begun, or a new one of the oldest batches. `None`: the site has no
/// batches.
pub async fn next_chunk(kernel: &Kernel, site: SiteId) -> Result<Option<Chunk>, EngineError> {
    let begun: Option<Option<InsightChunkId>> = Entity::find()
        .select_only()
        .column(Column::ChunkId)
        .filter(Column::SiteId.eq(site))
        .filter(Column::ChunkId.is_not_null())
        .limit(1)
        .into_tuple()
        .one(kernel.db.read())
        .await?;
    let id = match begun.flatten() {
        Some(id) => id,
        None => match begin_chunk(kernel, site).await? {
            Some(id) => id,
            None => return Ok(None),
        },
    };
    let rows: Vec<Vec<u8>> = Entity::find()
        .select_only()
        .column(Column::Data)
        .filter(Column::ChunkId.eq(id))
        .order_by_asc(Column::Id)
        .into_tuple()
        .all(kernel.db.read())
        .await?;
    let mut events = Vec::new();
    for data in &rows {
        events.extend(batches::read(data)?);
    }
    Ok(Some(Chunk {
        id,
        site,
        batches: rows.len() as u64,
        events,
    }))
}

/// Gives the oldest batches of a site the id of a new chunk. If another process begins one at the same time, it is found by the next
/// attempt.
async fn begin_chunk(kernel: &Kernel, site: SiteId) -> Result<Option<InsightChunkId>, DbErr> {
    let id: InsightChunkId = kernel.ids.next();
    let work = move |tx: Tx| async move {
        let waiting: Vec<(InsightBatchId, i64)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::Bytes])
            .filter(Column::SiteId.eq(site))
            .filter(Column::ChunkId.is_null())
            .order_by_asc(Column::Id)
            .limit(CHUNK_BATCHES)
            .into_tuple()
            .all(&tx)
            .await?;
        let mut bytes = 0_i64;
        let fit = waiting.into_iter().take_while(|(_, of_batch)| {
            let is_first = bytes == 0;
            bytes = bytes.saturating_add(*of_batch);
            is_first || bytes <= CHUNK_BYTES
        });
        let batches: Vec<InsightBatchId> = fit.map(|(batch, _)| batch).collect();
        if batches.is_empty() {
            return Ok(None);
        }
        Entity::update_many()
            .col_expr(Column::ChunkId, Expr::value(id))
            .filter(Column::Id.is_in(batches))
            .exec(&tx)
            .await?;
        Ok::<_, DbErr>(Some(id))
    };
    kernel.db.write(work).await
}
