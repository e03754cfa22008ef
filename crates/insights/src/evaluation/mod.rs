//! Answers to queries, from segments.

pub(crate) mod claims;
mod dimension;
mod distinct;
mod filter;
mod finish;
mod groups;
mod key;
mod kinds;
mod local;
mod rows;

use crate::query::{Dimension, Query, Value};
use crate::segment::Damaged;
use dimension::{Properties, claim_properties};
use filter::EventFilter;
use groups::{Grouping, Groups};
use local::Local;
use rows::Rows;

pub(crate) use dimension::parse_point;
pub(crate) use filter::accepts_group;
pub(crate) use key::Key;

/// Groups that a query may have.
pub const MAX_GROUPS: usize = 1_000_000;

/// Rows that are counted at once where an event has one for each of its claims.
const MAX_EXPANDED_ROWS: usize = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddError {
    Damaged,
    /// More groups than [`MAX_GROUPS`], or more memory for them than the evaluation may take.
    TooManyGroups,
}

impl From<Damaged> for AddError {
    fn from(Damaged: Damaged) -> Self {
        Self::Damaged
    }
}

impl std::fmt::Display for AddError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Damaged => Damaged.fmt(formatter),
            Self::TooManyGroups => formatter.write_str("the query has too many groups"),
        }
    }
}

impl std::error::Error for AddError {}

/// The answer to a query, from the segments that were added.
///
/// Several evaluations of one query may each take a part of the segments, on threads of their own; merged, they are what
/// one evaluation of all segments is.
pub struct Evaluation {
    query: Query,
    dimensions: Vec<Dimension>,
    event_filters: Vec<EventFilter>,
    groups: Groups,
}

impl Evaluation {
    /// An evaluation of a query that [`Query::check`] found right. Groups take at most about `max_bytes` of memory; in
    /// addition the columns of one segment are in memory while it is added, 4 bytes per event in each.
    pub fn new(query: Query, max_bytes: usize) -> Self {
        let mut dimensions = Vec::new();
        for dimension in query.groups() {
            if !dimensions.contains(&dimension) {
                dimensions.push(dimension);
            }
        }
        let event_filters = query.filters.iter().filter_map(EventFilter::new).collect();
        let groups = Groups::new(dimensions.len(), &query.metrics(), max_bytes);
        Self {
            query,
            dimensions,
            event_filters,
            groups,
        }
    }

    /// Adds a segment from the columns that [`Query::columns`] names, as far as the segment has them.
    pub fn add(&mut self, columns: &[(u8, impl AsRef<[u8]>)]) -> Result<(), AddError> {
        let Some(local) = Local::read(&self.query, columns)? else {
            return Ok(());
        };
        let mut rows = local.rows_in_range(&self.query);
        for filter in &self.event_filters {
            filter.apply(&local, &mut rows);
        }
        if rows.is_empty() {
            return Ok(());
        }
        if !self.dimensions.contains(&Dimension::ClaimProperty) {
            return self.count(&local, rows, None);
        }
        let properties = claim_properties(&local);
        for part in rows.split(&properties.codes, &properties.lists, MAX_EXPANDED_ROWS) {
            self.count(&local, part, Some(&properties))?;
        }
        Ok(())
    }

    fn count(&mut self, local: &Local, rows: Rows, properties: Option<&Properties<'_>>) -> Result<(), AddError> {
        let grouping = Grouping::new(local, &self.dimensions, rows, properties);
        self.groups.count(local, &grouping)?;
        self.check_memory()
    }

    /// Adds what another evaluation of the same query has counted.
    pub fn merge(&mut self, other: Self) -> Result<(), AddError> {
        self.groups.merge(other.groups)?;
        self.check_memory()
    }

    fn check_memory(&self) -> Result<(), AddError> {
        if self.groups.has_room() {
            Ok(())
        } else {
            Err(AddError::TooManyGroups)
        }
    }

    /// The rows of the answer. Their values are in the order of [`Query::selected`].
    pub fn finish(self) -> Vec<Vec<Value>> {
        finish::rows(&self.query, &self.dimensions, self.groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, Field};
    use crate::query::{Column, Metric};
    use crate::segment::encode;
    use crate::zone::Zone;

    #[test]
    fn groups_are_counted_before_they_are_made() {
        let url = |number: i64| format!("https://docs.example.com/{number}/{}", "x".repeat(1_000));
        let event = |number: i64| Event {
            time: 0,
            visitor: 1,
            session: 1,
            values: vec![(Field::Url, url(number).into())],
        };
        let events: Vec<Event> = (0..20_000).map(event).collect();
        let query = Query {
            from: 0,
            to: 1,
            zone: Zone::UTC,
            select: vec![
                Column::Dimension(Dimension::Field(Field::Url)),
                Column::Metric(Metric::Events),
            ],
            filters: Vec::new(),
            group_by: Vec::new(),
            order: None,
            limit: 10,
        };
        let mut evaluation = Evaluation::new(query, 1 << 20);
        assert_eq!(evaluation.add(&encode(&events).columns), Err(AddError::TooManyGroups));
        // Not more than the memory has room for.
        assert!(evaluation.groups.len() < 1_100, "{}", evaluation.groups.len());
    }
}
