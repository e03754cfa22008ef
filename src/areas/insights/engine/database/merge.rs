//! Merging segments: of several of similar size on the same day one is made, so that a day has few, and each event is written again
//! a few times only.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use entity::{
    ids::{InsightSegmentId, SiteId},
    insights::segments::{Column, Entity, Model},
};
use insights::merge;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use uuid::Builder;

use super::{EngineError, MAX_DECODED_BYTES, NewSegment, parts::columns_of_segments, replace};
use crate::{areas::insights::engine::compute, kernel::Kernel};

/// Segments of one size that are merged.
const FAN_IN: usize = 4;

/// Days with a segment that is younger are looked at.
const NEW: TimeDelta = TimeDelta::hours(1);

/// Merges of a day before the next day has its turn.
const MERGES_PER_TURN: usize = 4;

/// Merges segments of the days that have new ones. A day whose segments cannot be merged does not stop the others.
pub(super) async fn merge_new_segments(kernel: &Kernel) -> Result<(), EngineError> {
    let mut days = days_with_new_segments(kernel).await?;
    while !days.is_empty() {
        let mut unfinished = Vec::new();
        for (site, day) in days {
            match merge_day(kernel, site, day).await {
                Ok(true) => unfinished.push((site, day)),
                // Another process works on the day.
                Ok(false) | Err(EngineError::Stale) => {}
                Err(error) => tracing::error!(
                    %site, day, %error,
                    "cannot merge the segments of insight events of a day; the next run tries again. Queries of the day take longer"
                ),
            }
        }
        days = unfinished;
    }
    Ok(())
}

async fn days_with_new_segments(kernel: &Kernel) -> Result<Vec<(SiteId, i32)>, DbErr> {
    let since = kernel.clock.now().plus(-NEW).as_millis();
    let since = Builder::from_unix_timestamp_millis(u64::try_from(since).unwrap_or_default(), &[0; 10]);
    Entity::find()
        .select_only()
        .columns([Column::SiteId, Column::Day])
        .distinct()
        // Ids begin with their time.
        .filter(Column::Id.gte(InsightSegmentId::from_uuid(since.into_uuid())))
        .order_by_asc(Column::Day)
        .order_by_asc(Column::SiteId)
        .into_tuple()
        .all(kernel.db.read())
        .await
}

/// Merges some segments of a day. Returns whether the day may have more to merge.
async fn merge_day(kernel: &Kernel, site: SiteId, day: i32) -> Result<bool, EngineError> {
    for _ in 0..MERGES_PER_TURN {
        let rows = Entity::find()
            .filter(Column::SiteId.eq(site))
            .filter(Column::Day.eq(day))
            .order_by_asc(Column::Bytes)
            .order_by_asc(Column::Id)
            .all(kernel.db.read())
            .await?;
        let Some(group) = next_group(rows) else {
            return Ok(false);
        };
        let ids: Vec<_> = group.iter().map(|segment| segment.id).collect();
        let segments = columns_of_segments(kernel, &ids, None).await?;
        if segments.len() != ids.len() {
            return Err(EngineError::Stale);
        }
        let merged = compute(|| merge(&segments.into_iter().map(|(_, columns)| columns).collect::<Vec<_>>()))?;
        let merged = NewSegment::new(kernel.ids.next(), site, day, merged);
        replace(kernel, ids, Some(merged)).await?;
    }
    Ok(true)
}

/// Segments of similar size that fit into one. `rows` are those of a day, the smallest first.
fn next_group(rows: Vec<Model>) -> Option<Vec<Model>> {
    let mut groups: BTreeMap<u32, Vec<Model>> = BTreeMap::new();
    for row in rows {
        groups.entry(tier(row.events)).or_default().push(row);
    }
    groups.into_values().find_map(|mut group| {
        let mut bytes = 0_u64;
        let fit = group.iter().take_while(|segment| {
            bytes = bytes.saturating_add(segment.bytes.unsigned_abs());
            bytes <= MAX_DECODED_BYTES
        });
        let count = fit.count();
        group.truncate(count);
        (count >= FAN_IN).then_some(group)
    })
}

/// Segments of the same tier differ by the factor [`FAN_IN`] at most.
fn tier(events: i32) -> u32 {
    events.unsigned_abs().max(1).ilog(4)
}
