//! Reading segments and the batches that are not in a segment yet.

use std::{panic::resume_unwind, thread};

use entity::{
    ids::{InsightBatchId, InsightSegmentId, SiteId},
    insights::{
        batches, columns,
        segments::{Column, Entity, Model},
    },
    timestamp::Timestamp,
};
use insights::{AddError, Encoded, Evaluation, Event, Query, Value, decode};
use platform::db::positional;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};

use super::{EngineError, day_of};
use crate::{
    areas::insights::engine::{ExportRange, batches::read, compute},
    kernel::Kernel,
};

/// The columns of a segment, by their numbers.
pub(super) type Columns = Vec<(u8, Vec<u8>)>;

/// Events whose columns are in memory at once.
const EVENTS_AT_ONCE: i64 = 1_048_576;

/// Segments that one query names.
const SEGMENTS_AT_ONCE: usize = 10_000;

/// Threads that compute an answer.
const THREADS: usize = 2;

/// Memory of each thread for the groups of an answer.
const MAX_GROUP_BYTES: usize = 128 * 1024 * 1024;

/// The job that drains the inbox may change the segments while they are read: then all is read again.
const MAX_ATTEMPTS: usize = 20;

impl From<AddError> for EngineError {
    fn from(error: AddError) -> Self {
        match error {
            AddError::Damaged => Self::Damaged,
            AddError::TooManyGroups => Self::TooManyGroups,
        }
    }
}

pub(super) async fn aggregate(kernel: &Kernel, site: SiteId, query: Query) -> Result<Vec<Vec<Value>>, EngineError> {
    let (from, to) = (Timestamp::from_millis(query.from), Timestamp::from_millis(query.to));
    let (numbers, rollup) = (query.columns(), query.rollup());
    for _ in 0..MAX_ATTEMPTS {
        let (segments, batches) = snapshot(kernel, site, (from, to)).await?;
        let mut parts: Vec<Evaluation> = (0..THREADS)
            .map(|_| Evaluation::new(query.clone(), MAX_GROUP_BYTES))
            .collect();
        compute(|| add_batches(&mut parts, batches))?;
        let mut is_stale = false;
        let is_rolled_up = |segment: &Model| {
            let times = (segment.first_at.as_millis(), segment.last_at.as_millis());
            query
                .rollup_of(segment.events.unsigned_abs(), times.0, times.1)
                .is_some()
        };
        let (rolled_up, others): (Vec<Model>, Vec<Model>) = segments.into_iter().partition(is_rolled_up);
        let rolled_up = grouped(&rolled_up).into_iter().map(|ids| (ids, rollup.as_slice()));
        let others = grouped(&others).into_iter().map(|ids| (ids, numbers.as_slice()));
        for (ids, numbers) in others.chain(rolled_up) {
            let found = columns_of(kernel, &ids, Some(numbers)).await?;
            is_stale |= found.len() != ids.len();
            if is_stale {
                break;
            }
            compute(|| add_segments(&mut parts, &found))?;
        }
        if !is_stale {
            return compute(|| finish(parts));
        }
    }
    Err(EngineError::Stale)
}

fn add_batches(parts: &mut [Evaluation], batches: Vec<Vec<u8>>) -> Result<(), EngineError> {
    if let Some(first) = parts.first_mut() {
        for data in batches {
            first.add(&Encoded::from_bytes(&data)?.columns)?;
        }
    }
    Ok(())
}

/// Adds segments to the parts of an evaluation, to each on a thread of its own.
fn add_segments(parts: &mut [Evaluation], segments: &[(InsightSegmentId, Columns)]) -> Result<(), EngineError> {
    let share = segments.len().div_ceil(THREADS).max(1);
    let add = |part: &mut Evaluation, segments: &[(InsightSegmentId, Columns)]| {
        segments.iter().try_for_each(|(_, columns)| part.add(columns))
    };
    let added = thread::scope(|scope| {
        let shares = parts.iter_mut().zip(segments.chunks(share));
        let threads: Vec<_> = shares
            .map(|(part, segments)| scope.spawn(move || add(part, segments)))
            .collect();
        let ended = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        ended.collect::<Result<(), AddError>>()
    });
    Ok(added?)
}

fn finish(parts: Vec<Evaluation>) -> Result<Vec<Vec<Value>>, EngineError> {
    let mut parts = parts.into_iter();
    let Some(mut whole) = parts.next() else {
        return Ok(Vec::new());
    };
    for part in parts {
        whole.merge(part)?;
    }
    Ok(whole.finish())
}

/// Segments whose columns are read by one query, in order.
fn grouped(segments: &[Model]) -> Vec<Vec<InsightSegmentId>> {
    let mut groups: Vec<Vec<InsightSegmentId>> = Vec::new();
    let mut events = 0;
    for segment in segments {
        events += i64::from(segment.events);
        match groups.last_mut() {
            Some(group) if events <= EVENTS_AT_ONCE && group.len() < SEGMENTS_AT_ONCE => group.push(segment.id),
            _ => {
                events = i64::from(segment.events);
                groups.push(vec![segment.id]);
            }
        }
    }
    groups
}

/// The segments of a range of time in the order of days, and the batches of the same moment.
async fn snapshot(
    kernel: &Kernel,
    site: SiteId,
    (from, to): (Timestamp, Timestamp),
) -> Result<(Vec<Model>, Vec<Vec<u8>>), EngineError> {
    for _ in 0..MAX_ATTEMPTS {
        let before = segments_in(kernel, site, (from, to)).await?;
        let found = batches::Entity::find()
            .select_only()
            .columns([batches::Column::Id, batches::Column::Data])
            .filter(batches::Column::SiteId.eq(site))
            .filter(batches::Column::FirstAt.lt(to))
            .filter(batches::Column::LastAt.gte(from))
            .order_by_asc(batches::Column::Id);
        let found: Vec<(InsightBatchId, Vec<u8>)> = positional::tuples(kernel.db.read(), found.as_query()).await?;
        // A batch is in one of the segments or among the batches, unless it has just moved.
        if segments_in(kernel, site, (from, to)).await? == before {
            return Ok((before, found.into_iter().map(|(_, data)| data).collect()));
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

/// The columns of segments, of those with these numbers or of all. Segments that are gone are missing.
pub(super) async fn columns_of(
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

/// Reads a part of the events. Segments that begin after the last event of the part are not read.
pub(super) async fn export(kernel: &Kernel, site: SiteId, range: ExportRange) -> Result<Vec<Event>, EngineError> {
    let wanted = range.skip.saturating_add(range.limit);
    for _ in 0..MAX_ATTEMPTS {
        let (mut segments, batches) = snapshot(kernel, site, (range.from, range.to)).await?;
        let mut events = Vec::new();
        for data in batches {
            events.extend(read(&data)?);
        }
        let mut events = first(events, &range, wanted);
        segments.sort_by_key(|segment| (segment.first_at, segment.id));
        let mut is_stale = false;
        for segment in segments {
            let last = events.get(wanted.saturating_sub(1)).map(|event| event.time);
            if last.is_some_and(|last| segment.first_at.as_millis() > last) {
                break;
            }
            let mut found = columns_of(kernel, &[segment.id], None).await?;
            let Some((_, columns)) = found.pop() else {
                is_stale = true;
                break;
            };
            let more = compute(|| decode(&columns))?;
            events.extend(more);
            events = compute(|| first(events, &range, wanted));
        }
        if !is_stale {
            return Ok(events.into_iter().skip(range.skip).collect());
        }
    }
    Err(EngineError::Stale)
}

/// The first events of a range, in order.
fn first(mut events: Vec<Event>, range: &ExportRange, wanted: usize) -> Vec<Event> {
    events.retain(|event| (range.from.as_millis()..range.to.as_millis()).contains(&event.time));
    events.sort_by(|a, b| {
        let key = |event: &Event| (event.time, event.visitor, event.session);
        key(a).cmp(&key(b)).then_with(|| a.values.cmp(&b.values))
    });
    events.truncate(wanted);
    events
}
