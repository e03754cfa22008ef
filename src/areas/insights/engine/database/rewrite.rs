//! Removing the events of visitors from segments.

use std::collections::HashSet;

use entity::{
    ids::{InsightSegmentId, SiteId},
    insights::segments::{Column, Entity},
};
use insights::{TIME, VISITOR, has_visitors};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{EngineError, NewSegment, parts::columns_of_segments, replace};
use crate::{areas::insights::engine::compute, kernel::Kernel};

/// A segment that another process has replaced is looked for again so often.
const MAX_ROUNDS: usize = 5;

pub(super) async fn remove_visitors(kernel: &Kernel, site: SiteId, visitors: &HashSet<u64>) -> Result<(), EngineError> {
    for _ in 0..MAX_ROUNDS {
        let segments: Vec<(InsightSegmentId, i32)> = Entity::find()
            .select_only()
            .columns([Column::Id, Column::Day])
            .filter(Column::SiteId.eq(site))
            .order_by_asc(Column::Day)
            .into_tuple()
            .all(kernel.db.read())
            .await?;
        let mut is_stale = false;
        for (segment, day) in segments {
            is_stale |= !rewrite(kernel, (site, segment, day), visitors).await?;
        }
        if !is_stale {
            return Ok(());
        }
    }
    Err(EngineError::Stale)
}

/// Removes the events of visitors from a segment. Returns `false` if another process has replaced the segment.
async fn rewrite(
    kernel: &Kernel,
    (site, segment, day): (SiteId, InsightSegmentId, i32),
    visitors: &HashSet<u64>,
) -> Result<bool, EngineError> {
    let ids = columns_of_segments(kernel, &[segment], Some(&[TIME, VISITOR])).await?;
    match ids.first() {
        None => return Ok(false),
        Some((_, columns)) if !compute(|| has_visitors(columns, visitors))? => return Ok(true),
        Some(_) => {}
    }
    let mut found = columns_of_segments(kernel, &[segment], None).await?;
    let Some((_, columns)) = found.pop() else {
        return Ok(false);
    };
    let Some(rest) = compute(|| insights::remove_visitors(&columns, visitors))? else {
        return Ok(true);
    };
    let new = (rest.events > 0).then(|| NewSegment::new(kernel.ids.next(), site, day, rest));
    match replace(kernel, vec![segment], new).await {
        Err(EngineError::Stale) => Ok(false),
        other => other.map(|()| true),
    }
}
