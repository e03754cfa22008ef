//! Reading a part of the events in order.
//!
//! The times alone tell which segments have events of the part, and up to which time. Of these the keys of the events are compared, and
//! only those of the part are decoded.

use std::collections::{BTreeMap, BinaryHeap};

use entity::ids::SiteId;
use insights::{Event, EventKey, TIME, events_at, keys, times};

use super::{
    EngineError,
    parts::{MAX_ATTEMPTS, Part, columns_of, snapshot, steps},
};
use crate::{
    areas::insights::engine::{ExportRange, compute},
    kernel::Kernel,
};

/// An event of a part: its key, the index of the part, and its row there.
type Position = (EventKey, usize, u32);

pub(super) async fn export(kernel: &Kernel, site: SiteId, range: ExportRange) -> Result<Vec<Event>, EngineError> {
    for _ in 0..MAX_ATTEMPTS {
        match attempt(kernel, site, &range).await {
            Err(EngineError::Stale) => {}
            done => return done,
        }
    }
    Err(EngineError::Stale)
}

async fn attempt(kernel: &Kernel, site: SiteId, range: &ExportRange) -> Result<Vec<Event>, EngineError> {
    let mut parts = snapshot(kernel, site, (range.from, range.to)).await?;
    parts.sort_by_key(|part| (part.first, part.id));
    let Some(last) = last_time(kernel, &parts, range).await? else {
        return Ok(Vec::new());
    };
    parts.retain(|part| part.first <= last);
    let positions = positions(kernel, &parts, (range, last)).await?;
    events(kernel, &parts, &positions).await
}

fn wanted(range: &ExportRange) -> usize {
    range.skip.saturating_add(range.limit)
}

/// The time of the last event of the range that is needed; `None`: none is.
async fn last_time(kernel: &Kernel, parts: &[Part], range: &ExportRange) -> Result<Option<i64>, EngineError> {
    let wanted = wanted(range);
    // The earliest times, the last of them first.
    let mut earliest: BinaryHeap<i64> = BinaryHeap::new();
    for step in steps(parts) {
        let last = earliest.peek().filter(|_| earliest.len() >= wanted);
        if step.first().zip(last).is_some_and(|(part, last)| part.first > *last) {
            break;
        }
        for columns in columns_of(kernel, step, Some(&[TIME])).await? {
            for time in compute(|| times(&columns))? {
                if (range.from.as_millis()..range.to.as_millis()).contains(&time) {
                    earliest.push(time);
                }
                if earliest.len() > wanted {
                    earliest.pop();
                }
            }
        }
    }
    Ok(earliest.into_iter().max())
}

/// The events of the range up to `last`, in order.
async fn positions(
    kernel: &Kernel,
    parts: &[Part],
    (range, last): (&ExportRange, i64),
) -> Result<Vec<Position>, EngineError> {
    let wanted = wanted(range);
    let is_wanted = |time| range.from.as_millis() <= time && time < range.to.as_millis() && time <= last;
    let mut found: Vec<Position> = Vec::new();
    let mut index = 0;
    for step in steps(parts) {
        for columns in columns_of(kernel, step, None).await? {
            let keys = compute(|| keys(&columns, is_wanted))?;
            found.extend(keys.into_iter().map(|(key, row)| (key, index, row)));
            index += 1;
            if found.len() / 2 > wanted {
                found.sort_unstable();
                found.truncate(wanted);
            }
        }
    }
    found.sort_unstable();
    found.truncate(wanted);
    Ok(found.into_iter().skip(range.skip).collect())
}

/// The events at these positions.
async fn events(kernel: &Kernel, parts: &[Part], positions: &[Position]) -> Result<Vec<Event>, EngineError> {
    let mut by_part: BTreeMap<usize, Vec<(usize, u32)>> = BTreeMap::new();
    for (place, (_, part, row)) in positions.iter().enumerate() {
        by_part.entry(*part).or_default().push((place, *row));
    }
    let used: Vec<Part> = by_part.keys().filter_map(|part| parts.get(*part)).cloned().collect();
    let mut places_of_parts = by_part.into_values();
    let mut events: Vec<(usize, Event)> = Vec::with_capacity(positions.len());
    for step in steps(&used) {
        for (columns, places) in columns_of(kernel, step, None).await?.iter().zip(&mut places_of_parts) {
            let (places, rows): (Vec<usize>, Vec<u32>) = places.into_iter().unzip();
            let found = compute(|| events_at(columns, &rows))?;
            events.extend(places.into_iter().zip(found));
        }
    }
    events.sort_unstable_by_key(|(place, _)| *place);
    Ok(events.into_iter().map(|(_, event)| event).collect())
}
