//! Merging segments: of several of similar size on the same day one is made, so that a day has few, and each event is written again
//! a few times only.

use std::collections::BTreeMap;

use entity::{
    ids::SiteId,
    insights::segments::{Column, Entity, Model},
};
use insights::merge;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};

use super::{EngineError, NewSegment, read, replace};
use crate::{areas::insights::engine::compute, kernel::Kernel};

/// Segments of one size that are merged.
const FAN_IN: usize = 4;

/// Events of a segment, at most.
const MAX_EVENTS: i64 = 262_144;

/// Merges segments of a site until no day has several of similar size.
pub(super) async fn merge_segments(kernel: &Kernel, site: SiteId) -> Result<(), EngineError> {
    loop {
        let rows = Entity::find()
            .filter(Column::SiteId.eq(site))
            .filter(Column::Events.lt(MAX_EVENTS))
            .order_by_asc(Column::Day)
            .order_by_asc(Column::FirstAt)
            .order_by_asc(Column::Id)
            .all(kernel.db.read())
            .await?;
        let Some(group) = next_group(rows) else {
            return Ok(());
        };
        let ids: Vec<_> = group.iter().map(|segment| segment.id).collect();
        let segments = read::columns_of(kernel, &ids, None).await?;
        if segments.len() != ids.len() {
            return Err(EngineError::Stale);
        }
        let merged = compute(|| merge(&segments.into_iter().map(|(_, columns)| columns).collect::<Vec<_>>()))?;
        let day = group.first().map(|segment| segment.day).unwrap_or_default();
        let merged = NewSegment::new(kernel.ids.next(), site, day, merged);
        replace(kernel, ids, Some(merged)).await?;
    }
}

/// Segments of one day and of similar size that fit into one. They are in the order of days and times.
fn next_group(rows: Vec<Model>) -> Option<Vec<Model>> {
    let mut groups: BTreeMap<(i32, u32), Vec<Model>> = BTreeMap::new();
    for row in rows {
        groups.entry((row.day, tier(row.events))).or_default().push(row);
    }
    groups.into_values().find_map(|mut group| {
        let mut events = 0;
        let fit = group.iter().take_while(|segment| {
            events += i64::from(segment.events);
            events <= MAX_EVENTS
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
