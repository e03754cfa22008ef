//! The segments and the waiting batches of a range of time, and the reading of their columns.

use std::collections::HashMap;

use entity::{
    ids::{InsightBatchId, InsightSegmentId, SiteId},
    insights::{
        batches, columns,
        segments::{Column, Entity, Model},
    },
    timestamp::Timestamp,
};
use insights::{Columns, Encoded};
use platform::db::positional;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};

use super::{EngineError, MAX_DECODED_BYTES, day_of};
use crate::kernel::Kernel;

/// Parts whose columns are in memory at once.
const MAX_PARTS: usize = 1_000;

/// The job that drains the inbox may change the parts while they are read: then all is read again.
pub(super) const MAX_ATTEMPTS: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PartId {
    Batch(InsightBatchId),
    Segment(InsightSegmentId),
}

/// A segment, or a batch that is not in one yet.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub id: PartId,
    pub events: u32,
    /// Memory of the decoded events.
    pub bytes: u64,
    /// The times of the first and the last event.
    pub first: i64,
    pub last: i64,
}

impl Part {
    fn new(id: PartId, (events, bytes): (i32, i64), (first, last): (Timestamp, Timestamp)) -> Self {
        Self {
            id,
            events: events.unsigned_abs(),
            bytes: bytes.unsigned_abs(),
            first: first.as_millis(),
            last: last.as_millis(),
        }
    }

    fn of_segment(row: &Model) -> Self {
        let id = PartId::Segment(row.id);
        Self::new(id, (row.events, row.bytes), (row.first_at, row.last_at))
    }
}

/// Consecutive parts that are in memory together.
pub(super) fn steps(parts: &[Part]) -> impl Iterator<Item = &[Part]> {
    let mut rest = parts;
    std::iter::from_fn(move || {
        let mut bytes = 0_u64;
        let fit = rest.iter().take(MAX_PARTS).take_while(|part| {
            bytes = bytes.saturating_add(part.bytes);
            bytes <= MAX_DECODED_BYTES
        });
        let count = fit.count().max(1);
        let (step, others) = rest.split_at_checked(count)?;
        rest = others;
        Some(step)
    })
}

type BatchRow = (InsightBatchId, i32, i64, Timestamp, Timestamp);

/// The parts of a range of time at one moment: the batches, then the segments in the order of days.
pub(super) async fn snapshot(
    kernel: &Kernel,
    site: SiteId,
    (from, to): (Timestamp, Timestamp),
) -> Result<Vec<Part>, EngineError> {
    for _ in 0..MAX_ATTEMPTS {
        let before = segments_in(kernel, site, (from, to)).await?;
        let found = batches::Entity::find()
            .select_only()
            .columns([
                batches::Column::Id,
                batches::Column::Events,
                batches::Column::Bytes,
                batches::Column::FirstAt,
                batches::Column::LastAt,
            ])
            .filter(batches::Column::SiteId.eq(site))
            .filter(batches::Column::FirstAt.lt(to))
            .filter(batches::Column::LastAt.gte(from))
            .order_by_asc(batches::Column::Id);
        let found: Vec<BatchRow> = found.into_tuple().all(kernel.db.read()).await?;
        // A batch is in one of the segments or among the batches, unless it has just moved.
        if segments_in(kernel, site, (from, to)).await? == before {
            let batches = found
                .into_iter()
                .map(|(id, events, bytes, first, last)| Part::new(PartId::Batch(id), (events, bytes), (first, last)));
            return Ok(batches.chain(before.iter().map(Part::of_segment)).collect());
        }
    }
    Err(EngineError::Stale)
}

async fn segments_in(
    kernel: &Kernel,
    site: SiteId,
    (from, to): (Timestamp, Timestamp),
) -> Result<Vec<Model>, EngineError> {
    let days = (day_of(from.as_millis()), day_of(to.as_millis()));
    let rows = Entity::find()
        .filter(Column::SiteId.eq(site))
        .filter(Column::Day.gte(days.0))
        .filter(Column::Day.lte(days.1))
        .filter(Column::FirstAt.lt(to))
        .filter(Column::LastAt.gte(from))
        .order_by_asc(Column::Day)
        .order_by_asc(Column::FirstAt)
        .order_by_asc(Column::Id);
    Ok(rows.all(kernel.db.read()).await?)
}

/// The columns of parts, in their order: of segments those with these numbers or all. Fails if one of the parts is gone.
pub(super) async fn columns_of(
    kernel: &Kernel,
    parts: &[Part],
    numbers: Option<&[u8]>,
) -> Result<Vec<Columns>, EngineError> {
    let (mut batches, mut segments) = (Vec::new(), Vec::new());
    for part in parts {
        match part.id {
            PartId::Batch(id) => batches.push(id),
            PartId::Segment(id) => segments.push(id),
        }
    }
    let mut found: HashMap<PartId, Columns> = HashMap::new();
    if !batches.is_empty() {
        let rows = batches::Entity::find()
            .select_only()
            .columns([batches::Column::Id, batches::Column::Data])
            .filter(batches::Column::Id.is_in(batches));
        let rows: Vec<(InsightBatchId, Vec<u8>)> = positional::tuples(kernel.db.read(), rows.as_query()).await?;
        for (id, data) in rows {
            found.insert(PartId::Batch(id), Encoded::columns_from_bytes(&data)?);
        }
    }
    if !segments.is_empty() {
        for (id, columns) in columns_of_segments(kernel, &segments, numbers).await? {
            found.insert(PartId::Segment(id), columns);
        }
    }
    let columns = parts.iter().map(|part| found.remove(&part.id));
    columns.collect::<Option<_>>().ok_or(EngineError::Stale)
}

/// The columns of segments, of those with these numbers or of all. Segments that are gone are missing.
pub(super) async fn columns_of_segments(
    kernel: &Kernel,
    segments: &[InsightSegmentId],
    numbers: Option<&[u8]>,
) -> Result<Vec<(InsightSegmentId, Columns)>, EngineError> {
    let mut query = columns::Entity::find()
        .select_only()
        .columns([
            columns::Column::SegmentId,
            columns::Column::Number,
            columns::Column::Data,
        ])
        .filter(columns::Column::SegmentId.is_in(segments.iter().copied()))
        .order_by_asc(columns::Column::SegmentId)
        .order_by_asc(columns::Column::Number);
    if let Some(numbers) = numbers {
        query = query.filter(columns::Column::Number.is_in(numbers.iter().map(|number| i16::from(*number))));
    }
    let rows: Vec<(InsightSegmentId, i16, Vec<u8>)> = positional::tuples(kernel.db.read(), query.as_query()).await?;
    let mut found: Vec<(InsightSegmentId, Columns)> = Vec::new();
    for (segment, number, data) in rows {
        let number = u8::try_from(number).map_err(|_| EngineError::Damaged)?;
        match found.last_mut() {
            Some((last, columns)) if *last == segment => columns.push((number, data)),
            _ => found.push((segment, vec![(number, data)])),
        }
    }
    Ok(found)
}
