//! Answers to queries, from segments.

pub(crate) mod claims;
mod dimension;
mod distinct;
mod filter;
mod finish;
mod groups;
mod key;
mod local;
mod rows;

use crate::query::{Dimension, Query, Value};
use crate::segment::Damaged;
use filter::EventFilter;
use groups::{Grouping, Groups};
use local::Local;

pub(crate) use dimension::parse_point;
pub(crate) use filter::accepts_group;
pub(crate) use key::Key;

/// Groups that a query may have.
pub const MAX_GROUPS: usize = 1_000_000;

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
    max_bytes: usize,
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
        let groups = Groups::new(dimensions.len(), &query.metrics());
        Self {
            query,
            dimensions,
            event_filters,
            groups,
            max_bytes,
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
        let grouping = Grouping::new(&local, &self.dimensions, rows);
        self.groups.count(&local, &grouping)?;
        self.check_memory()
    }

    /// Adds what another evaluation of the same query has counted.
    pub fn merge(&mut self, other: Self) -> Result<(), AddError> {
        self.groups.merge(other.groups)?;
        self.check_memory()
    }

    fn check_memory(&self) -> Result<(), AddError> {
        if self.groups.bytes() > self.max_bytes {
            Err(AddError::TooManyGroups)
        } else {
            Ok(())
        }
    }

    /// The rows of the answer. Their values are in the order of [`Query::selected`].
    pub fn finish(self) -> Vec<Vec<Value>> {
        finish::rows(&self.query, &self.dimensions, self.groups)
    }
}
