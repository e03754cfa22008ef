//! Queries: what is selected, from which events, by which groups.

use std::sync::Arc;

use crate::event::Field;
use crate::segment::{ROLLUPS, SESSION, TIME, VISITOR, has_rollups};
use crate::zone::{Interval, MAX_INTERVALS, Zone};

/// What events are grouped and filtered by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Without an interval: to the millisecond.
    Time {
        interval: Option<Interval>,
    },
    Field(Field),
    /// Space and page. Null without a space.
    Page,
    /// The H3 cell of the visitor. A filter compares at the resolution of its own cells, not at `precision`.
    Point {
        precision: u8,
    },
    /// Names of the claims at the top level: an event counts in each of them, and in null if it has none.
    ClaimProperty,
    /// The claim at a path. A name that contains dots wins over a path through objects.
    /// Texts as they are, null and absent ones as null, everything else as JSON.
    Claim(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Metric {
    Events,
    Sessions,
    Visitors,
    /// Events of type `page_post_feedback` by rating.
    PageFeedback,
    /// Events with a rating of an answer, by its sign.
    AskRatings,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Column {
    Dimension(Dimension),
    Metric(Metric),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    In,
    NotIn,
    GreaterThan,
    GreaterThanOrEqual,
    LessThan,
    LessThanOrEqual,
}

impl Operator {
    pub const fn is_comparison(self) -> bool {
        !matches!(self, Self::In | Self::NotIn)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Text(Arc<str>),
    Number(f64),
    /// Milliseconds since 1970, UTC.
    Time(i64),
    Page {
        space: Arc<str>,
        page: Option<Arc<str>>,
    },
    /// A cell and its center. Only the cell is compared.
    Point {
        latitude: f64,
        longitude: f64,
        cell: String,
    },
    Feedback {
        ok: u64,
        good: u64,
        bad: u64,
    },
    Ratings {
        positive: u64,
        negative: u64,
    },
}

/// A filter of events, or with a metric one of groups.
///
/// A comparison is never true of null. Texts are compared by their bytes. A filter on `ClaimProperty` is true of an
/// event if one of its properties is (`NotIn`: if none of them is in the values).
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    pub column: Column,
    pub operator: Operator,
    /// Exactly one for a comparison.
    pub values: Vec<Value>,
}

/// Rows that are equal by `by` are in ascending order of their groups; so are all rows without an order. Null is first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    pub by: Column,
    pub is_descending: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Milliseconds since 1970, UTC: `from` ≤ time < `to`.
    pub from: i64,
    pub to: i64,
    pub zone: Zone,
    pub select: Vec<Column>,
    pub filters: Vec<Filter>,
    pub group_by: Vec<Dimension>,
    pub order: Option<Order>,
    pub limit: usize,
}

/// The part of a query that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Range,
    Select(usize),
    Where(usize),
    GroupBy(usize),
    Order,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// `from` is after `to`, or one of them is outside the years 1 to 9999.
    Range,
    /// More than 1,000,000 intervals in the range.
    TooManyIntervals,
    /// The column is selected or ordered by, but not a group.
    NotGrouped,
    /// The column has no order: feedback and ratings.
    NotOrdered,
    /// The column is compared by `In` and `NotIn` only.
    NotComparable,
    /// A comparison has exactly one value.
    OneValue,
    /// A comparison with null.
    NullValue,
    /// The value at this index is not of the column's type.
    ValueType(usize),
    /// The value at this index is not an H3 cell.
    Cell(usize),
    /// H3 has the resolutions 0 to 15.
    Precision,
}

impl Query {
    /// The columns of the answer: what is selected, or the groups and the number of events.
    pub fn selected(&self) -> Vec<Column> {
        if !self.select.is_empty() {
            return self.select.clone();
        }
        let groups = self.group_by.iter().cloned().map(Column::Dimension);
        groups.chain([Column::Metric(Metric::Events)]).collect()
    }

    /// The groups: those asked for, or else the selected dimensions.
    pub fn groups(&self) -> Vec<Dimension> {
        if !self.group_by.is_empty() {
            return self.group_by.clone();
        }
        let dimensions = self.select.iter().filter_map(|column| match column {
            Column::Dimension(dimension) => Some(dimension.clone()),
            Column::Metric(_) => None,
        });
        dimensions.collect()
    }

    /// The interval whose empty buckets the answer has too: that of a query with the time as its only group.
    pub fn filled_interval(&self) -> Option<Interval> {
        let mut groups = self.groups();
        groups.dedup();
        match groups.as_slice() {
            [Dimension::Time { interval }] => *interval,
            _ => None,
        }
    }

    /// The order whose first rows the answer has. Without an order of the query these are the latest ones, if the time is a group,
    /// and the answer has them in the order of their groups.
    pub fn selection(&self) -> Option<Order> {
        let latest = || {
            let mut groups = self.groups().into_iter();
            let time = groups.find(|dimension| matches!(dimension, Dimension::Time { .. }))?;
            Some(Order {
                by: Column::Dimension(time),
                is_descending: true,
            })
        };
        self.order.clone().or_else(latest)
    }

    /// The metrics that the answer, a filter of groups or the order needs.
    pub fn metrics(&self) -> Vec<Metric> {
        let selected = self.selected();
        let filtered = self.filters.iter().map(|filter| &filter.column);
        let ordered = self.order.iter().map(|order| &order.by);
        let mut metrics = Vec::new();
        for column in selected.iter().chain(filtered).chain(ordered) {
            if let Column::Metric(metric) = column
                && !metrics.contains(metric)
            {
                metrics.push(*metric);
            }
        }
        metrics
    }

    /// The dimensions of the groups and of the filters.
    fn dimensions(&self) -> impl Iterator<Item = Dimension> {
        let filtered = self.filters.iter().filter_map(|filter| match &filter.column {
            Column::Dimension(dimension) => Some(dimension.clone()),
            Column::Metric(_) => None,
        });
        self.groups().into_iter().chain(filtered)
    }

    /// Number of the only column that the query reads of a segment with so many events, from `first` to `last`. Without one it
    /// reads its [`columns`](Self::columns).
    pub fn rollup_of(&self, events: u32, first: i64, last: i64) -> Option<u8> {
        let is_in_range = self.from <= first && last < self.to;
        self.rollup().filter(|_| is_in_range && has_rollups(events))
    }

    /// Number of the column with the rollup that answers the query, of segments whose events are all in its range.
    pub fn rollup(&self) -> Option<u8> {
        let is_exact = |dimension| matches!(dimension, Dimension::Time { interval: None });
        if self.metrics().iter().any(|metric| *metric != Metric::Events) || self.dimensions().any(is_exact) {
            return None;
        }
        let needs_times = self
            .dimensions()
            .any(|dimension| matches!(dimension, Dimension::Time { .. }));
        let columns = self.columns();
        let answers = ROLLUPS.iter().find(|rollup| {
            let has = |number: &u8| *number == TIME || rollup.fields.iter().any(|field| field.number() == *number);
            columns.iter().all(has) && (rollup.has_times || !needs_times)
        });
        answers.map(|rollup| rollup.number)
    }

    /// Numbers of the stored columns that the query reads, in ascending order.
    pub fn columns(&self) -> Vec<u8> {
        let mut numbers = vec![TIME];
        for metric in self.metrics() {
            match metric {
                Metric::Events => {}
                Metric::Sessions => numbers.push(SESSION),
                Metric::Visitors => numbers.push(VISITOR),
                Metric::PageFeedback => numbers.extend([Field::Type.number(), Field::PageFeedbackRating.number()]),
                Metric::AskRatings => numbers.push(Field::AskRating.number()),
            }
        }
        for dimension in self.dimensions() {
            match dimension {
                Dimension::Time { .. } => {}
                Dimension::Field(field) => numbers.push(field.number()),
                Dimension::Page => numbers.extend([Field::Space.number(), Field::Page.number()]),
                Dimension::Point { .. } => numbers.push(Field::Point.number()),
                Dimension::ClaimProperty | Dimension::Claim(_) => numbers.push(Field::Claims.number()),
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Checks what the types leave open. An evaluation takes only checked queries.
    pub fn check(&self) -> Result<(), (Place, Refusal)> {
        self.check_range().map_err(|refusal| (Place::Range, refusal))?;
        let groups = self.groups();
        for (index, dimension) in self.group_by.iter().enumerate() {
            check_dimension(dimension).map_err(|refusal| (Place::GroupBy(index), refusal))?;
        }
        for (index, column) in self.select.iter().enumerate() {
            check_column(column, &groups).map_err(|refusal| (Place::Select(index), refusal))?;
        }
        for (index, filter) in self.filters.iter().enumerate() {
            filter.check().map_err(|refusal| (Place::Where(index), refusal))?;
        }
        if let Some(order) = &self.order {
            check_column(&order.by, &groups).map_err(|refusal| (Place::Order, refusal))?;
            if matches!(order.by, Column::Metric(Metric::PageFeedback | Metric::AskRatings)) {
                return Err((Place::Order, Refusal::NotOrdered));
            }
        }
        Ok(())
    }

    fn check_range(&self) -> Result<(), Refusal> {
        // The years 1 to 9999.
        const TIMES: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;
        if self.from > self.to || !TIMES.contains(&self.from) || !TIMES.contains(&self.to) {
            return Err(Refusal::Range);
        }
        match self.filled_interval() {
            Some(interval) if (self.to - self.from) / interval.shortest() > MAX_INTERVALS => {
                Err(Refusal::TooManyIntervals)
            }
            _ => Ok(()),
        }
    }
}

fn check_dimension(dimension: &Dimension) -> Result<(), Refusal> {
    match dimension {
        Dimension::Point { precision } if *precision > 15 => Err(Refusal::Precision),
        _ => Ok(()),
    }
}

fn check_column(column: &Column, groups: &[Dimension]) -> Result<(), Refusal> {
    match column {
        Column::Dimension(dimension) if !groups.contains(dimension) => Err(Refusal::NotGrouped),
        Column::Dimension(dimension) => check_dimension(dimension),
        Column::Metric(_) => Ok(()),
    }
}

impl Filter {
    fn check(&self) -> Result<(), Refusal> {
        if self.operator.is_comparison() {
            let composite = [
                Column::Dimension(Dimension::Page),
                Column::Metric(Metric::PageFeedback),
                Column::Metric(Metric::AskRatings),
            ];
            if composite.contains(&self.column) || matches!(self.column, Column::Dimension(Dimension::Point { .. })) {
                return Err(Refusal::NotComparable);
            }
            match self.values.as_slice() {
                [Value::Null] => return Err(Refusal::NullValue),
                [_] => {}
                _ => return Err(Refusal::OneValue),
            }
        }
        for (index, value) in self.values.iter().enumerate() {
            if !self.column.takes(value) {
                return Err(Refusal::ValueType(index));
            }
            if let Value::Point { cell, .. } = value
                && cell.parse::<h3o::CellIndex>().is_err()
            {
                return Err(Refusal::Cell(index));
            }
        }
        Ok(())
    }
}

impl Column {
    /// Returns whether the value is of the column's type. Null is of every dimension's type except time.
    fn takes(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Dimension(Dimension::Time { .. }), value) => matches!(value, Value::Time(_)),
            (Self::Dimension(_), Value::Null) => true,
            (Self::Dimension(Dimension::Page), value) => matches!(value, Value::Page { .. }),
            (Self::Dimension(Dimension::Point { .. }), value) => matches!(value, Value::Point { .. }),
            (Self::Dimension(_), value) => matches!(value, Value::Text(_)),
            (Self::Metric(Metric::PageFeedback), value) => matches!(value, Value::Feedback { .. }),
            (Self::Metric(Metric::AskRatings), value) => matches!(value, Value::Ratings { .. }),
            (Self::Metric(_), value) => matches!(value, Value::Number(_)),
        }
    }
}
