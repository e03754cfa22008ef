//! The engine in the database of the server: segments, each with the events of a site and a day in columns.
//!
//! An answer is computed from the columns that it needs, and from the batches that are not in a segment yet.

mod export;
mod merge;
mod parts;
mod read;
mod rewrite;

use std::collections::{BTreeMap, HashSet};

use entity::{
    ids::{InsightSegmentId, SiteId},
    insights::{
        columns,
        segments::{Column, Entity, Model},
    },
    timestamp::Timestamp,
};
use futures_util::future::{BoxFuture, FutureExt};
use insights::{Encoded, Event, Query, Value, encode};
use platform::db::{Tx, rows};
use sea_orm::{ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter};

use super::{Chunk, Engine, EngineError, ExportRange, batches::remove_chunk, compute};
use crate::kernel::Kernel;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Decoded bytes of the events of a segment, and of those that a query has in memory at once.
const MAX_DECODED_BYTES: u64 = 64 * 1024 * 1024;

pub struct DatabaseEngine {
    kernel: Kernel,
}

impl DatabaseEngine {
    pub fn new(kernel: &Kernel) -> Self {
        Self { kernel: kernel.clone() }
    }

    async fn store_chunk(&self, chunk: Chunk) -> Result<(), EngineError> {
        let Chunk {
            id,
            site,
            batches,
            events,
        } = chunk;
        let ids = self.kernel.ids.clone();
        let segments: Vec<NewSegment> = compute(|| {
            let mut days: BTreeMap<i32, Vec<Event>> = BTreeMap::new();
            for event in events {
                days.entry(day_of(event.time)).or_default().push(event);
            }
            let encoded = days.into_iter().map(|(day, events)| (day, encode(&events)));
            let segments = encoded.map(|(day, encoded)| NewSegment::new(ids.next(), site, day, encoded));
            segments.collect()
        });
        let work = move |tx: Tx| async move {
            remove_chunk(&tx, id, batches).await?;
            for segment in segments {
                segment.insert(&tx).await?;
            }
            Ok::<_, EngineError>(())
        };
        self.kernel.db.write(work).await
    }

    async fn has_segments(&self, from: Timestamp, to: Timestamp) -> Result<bool, EngineError> {
        let (from, to) = (day_of(from.as_millis()), day_of(to.as_millis()));
        let found = Entity::find().filter(Column::Day.gte(from)).filter(Column::Day.lt(to));
        Ok(rows::is_any(self.kernel.db.read(), found).await?)
    }

    async fn delete_segments_before(&self, time: Timestamp) -> Result<(), EngineError> {
        let old = Entity::find().filter(Column::Day.lt(day_of(time.as_millis())));
        Ok(rows::remove_in_steps(&self.kernel.db, old).await?)
    }

    async fn delete_segments_of(&self, site: SiteId) -> Result<(), EngineError> {
        let of_site = Entity::find().filter(Column::SiteId.eq(site));
        Ok(rows::remove_in_steps(&self.kernel.db, of_site).await?)
    }
}

impl Engine for DatabaseEngine {
    fn store<'a>(&'a self, chunk: Chunk) -> BoxFuture<'a, Result<(), EngineError>> {
        self.store_chunk(chunk).boxed()
    }

    fn merge(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        merge::merge_new_segments(&self.kernel).boxed()
    }

    fn aggregate<'a>(&'a self, site: SiteId, query: Query) -> BoxFuture<'a, Result<Vec<Vec<Value>>, EngineError>> {
        read::aggregate(&self.kernel, site, query).boxed()
    }

    fn export<'a>(&'a self, site: SiteId, range: ExportRange) -> BoxFuture<'a, Result<Vec<Event>, EngineError>> {
        export::export(&self.kernel, site, range).boxed()
    }

    fn delete_visitors<'a>(
        &'a self,
        site: SiteId,
        visitors: &'a HashSet<u64>,
    ) -> BoxFuture<'a, Result<(), EngineError>> {
        rewrite::remove_visitors(&self.kernel, site, visitors).boxed()
    }

    fn delete_site<'a>(&'a self, site: SiteId) -> BoxFuture<'a, Result<(), EngineError>> {
        self.delete_segments_of(site).boxed()
    }

    fn has_events<'a>(&'a self, from: Timestamp, to: Timestamp) -> BoxFuture<'a, Result<bool, EngineError>> {
        self.has_segments(from, to).boxed()
    }

    fn delete_before<'a>(&'a self, time: Timestamp) -> BoxFuture<'a, Result<(), EngineError>> {
        self.delete_segments_before(time).boxed()
    }
}

/// Days since 1970, UTC.
fn day_of(time: i64) -> i32 {
    let limits = (i64::from(i32::MIN), i64::from(i32::MAX));
    let day = time.div_euclid(DAY).clamp(limits.0, limits.1);
    i32::try_from(day).unwrap_or_default()
}

/// A segment that is to be written.
#[derive(Clone)]
struct NewSegment {
    row: Model,
    columns: Vec<(u8, Vec<u8>)>,
}

impl NewSegment {
    fn new(id: InsightSegmentId, site: SiteId, day: i32, encoded: Encoded) -> Self {
        let Encoded {
            events,
            first,
            last,
            bytes,
            columns,
        } = encoded;
        Self {
            row: Model {
                id,
                site_id: site,
                day,
                events: i32::try_from(events).unwrap_or(i32::MAX),
                first_at: Timestamp::from_millis(first),
                last_at: Timestamp::from_millis(last),
                bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
            },
            columns,
        }
    }

    async fn insert(self, tx: &Tx) -> Result<(), DbErr> {
        let segment = self.row.id;
        rows::insert(tx, &self.row).await?;
        let columns = self.columns.into_iter().map(|(number, data)| {
            let row = columns::Model {
                segment_id: segment,
                number: number.into(),
                data,
            };
            row.into_active_model().reset_all()
        });
        columns::Entity::insert_many(columns).exec_without_returning(tx).await?;
        Ok(())
    }
}

/// Replaces segments. Fails if another process has changed one of them.
async fn replace(kernel: &Kernel, old: Vec<InsightSegmentId>, new: Option<NewSegment>) -> Result<(), EngineError> {
    let work = move |tx: Tx| async move {
        let count = old.len() as u64;
        let removed = Entity::delete_many().filter(Column::Id.is_in(old)).exec(&tx).await?;
        if removed.rows_affected != count {
            return Err(EngineError::Stale);
        }
        match new {
            Some(segment) => Ok(segment.insert(&tx).await?),
            None => Ok(()),
        }
    };
    kernel.db.write(work).await
}
