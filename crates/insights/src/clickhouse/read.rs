//! Answers to statements.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value as Json;

use super::expressions::metric_names;
use super::select::groups;
use crate::evaluation::{Key, accepts_group};
use crate::event::{Event, Field};
use crate::query::{Column, Dimension, Metric, Query, Value};
use crate::zone::{Buckets, Interval};

/// An answer that is not in the form of the statement's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

impl fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the answer of ClickHouse is not in the form of the query")
    }
}

impl std::error::Error for Unreadable {}

/// The rows that answer a query. Their values are in the order of [`Query::selected`].
pub fn read(query: &Query, answer: &[u8]) -> Result<Vec<Vec<Value>>, Unreadable> {
    let dimensions = groups(query);
    let rows = lines(answer).map(|line| Row::read(&parse(line)?, query, &dimensions));
    let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
    if let Some(interval) = query.filled_interval() {
        rows = filled(query, interval, rows);
    } else if query.order.is_none() {
        // The statement orders them by what it selects them by.
        rows.sort_by(|left, right| left.keys.cmp(&right.keys));
    }
    Ok(rows.iter().map(|row| row.values(query, &dimensions)).collect())
}

/// The events that [`super::select_events`] selects.
pub fn read_events(answer: &[u8]) -> Result<Vec<Event>, Unreadable> {
    lines(answer).map(read_event).collect()
}

fn read_event(line: &[u8]) -> Result<Event, Unreadable> {
    let cells = parse(line)?;
    let [time, visitor, session, fields @ ..] = cells.as_slice() else {
        return Err(Unreadable);
    };
    let mut values = Vec::new();
    for (field, cell) in Field::ALL.into_iter().zip(fields) {
        match cell {
            Json::Null => {}
            Json::String(text) => values.push((field, text.as_str().into())),
            _ => return Err(Unreadable),
        }
    }
    Ok(Event {
        time: time.as_i64().ok_or(Unreadable)?,
        visitor: visitor.as_u64().ok_or(Unreadable)?,
        session: session.as_u64().ok_or(Unreadable)?,
        values,
    })
}

fn lines(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn parse(line: &[u8]) -> Result<Vec<Json>, Unreadable> {
    serde_json::from_slice(line).map_err(|_| Unreadable)
}

/// A group with its counts.
struct Row {
    keys: Vec<Key<'static>>,
    metrics: Vec<(Metric, Value)>,
}

impl Row {
    fn read(cells: &[Json], query: &Query, dimensions: &[Dimension]) -> Result<Self, Unreadable> {
        // The keys of all groups, then the times that tell intervals, then the metrics.
        let mut cells = cells.iter();
        let mut next = || cells.next().ok_or(Unreadable);
        let mut keys = Vec::new();
        for dimension in dimensions {
            keys.push(match dimension {
                Dimension::Page => {
                    let (space, page) = (text(next()?)?, text(next()?)?);
                    space.map_or(Key::Null, |space| Key::Page(space.into(), page.map(Into::into)))
                }
                Dimension::Time { .. } => Key::Time(next()?.as_i64().ok_or(Unreadable)?),
                Dimension::Point { .. } => match next()?.as_u64().ok_or(Unreadable)? {
                    0 => Key::Null,
                    cell => Key::Cell(cell),
                },
                Dimension::Field(_) | Dimension::Claim(_) | Dimension::ClaimProperty => {
                    text(next()?)?.map_or(Key::Null, |text| Key::Text(text.into()))
                }
            });
        }
        for (dimension, key) in dimensions.iter().zip(&mut keys) {
            if let Dimension::Time {
                interval: Some(interval),
            } = dimension
            {
                let time = next()?.as_i64().ok_or(Unreadable)?;
                *key = Key::Time(Buckets::new(&query.zone, *interval, query.from, query.to).start(time));
            }
        }
        let mut metrics = Vec::new();
        for metric in query.metrics() {
            let counts: Vec<u64> = metric_names(metric)
                .iter()
                .map(|_| next()?.as_u64().ok_or(Unreadable))
                .collect::<Result<_, _>>()?;
            metrics.push((metric, metric_value(&counts)));
        }
        Ok(Self { keys, metrics })
    }

    fn empty(start: i64, query: &Query) -> Self {
        let metrics = query.metrics().into_iter();
        let none = |metric: Metric| metric_value(&vec![0; metric_names(metric).len()]);
        Self {
            keys: vec![Key::Time(start)],
            metrics: metrics.map(|metric| (metric, none(metric))).collect(),
        }
    }

    fn metric(&self, metric: Metric) -> Value {
        let found = self.metrics.iter().find(|(of, _)| *of == metric);
        found.map_or(Value::Null, |(_, value)| value.clone())
    }

    fn values(&self, query: &Query, dimensions: &[Dimension]) -> Vec<Value> {
        let value = |column: &Column| match column {
            Column::Dimension(dimension) => {
                let key = dimensions
                    .iter()
                    .position(|of| of == dimension)
                    .and_then(|at| self.keys.get(at));
                key.map_or(Value::Null, Key::to_value)
            }
            Column::Metric(metric) => self.metric(*metric),
        };
        query.selected().iter().map(value).collect()
    }
}

fn text(cell: &Json) -> Result<Option<String>, Unreadable> {
    match cell {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text.clone())),
        _ => Err(Unreadable),
    }
}

fn metric_value(counts: &[u64]) -> Value {
    match counts {
        [ok, good, bad] => Value::Feedback {
            ok: *ok,
            good: *good,
            bad: *bad,
        },
        [positive, negative] => Value::Ratings {
            positive: *positive,
            negative: *negative,
        },
        [count] => Value::Number(*count as f64),
        _ => Value::Null,
    }
}

/// The rows of all intervals in the range: filtered, ordered and limited as the statement would have done it.
fn filled(query: &Query, interval: Interval, rows: Vec<Row>) -> Vec<Row> {
    let starts = Buckets::new(&query.zone, interval, query.from, query.to).starts();
    let mut by_key: BTreeMap<Key<'static>, Row> = starts
        .into_iter()
        .map(|start| (Key::Time(start), Row::empty(start, query)))
        .collect();
    for row in rows {
        if let Some(key) = row.keys.first() {
            by_key.insert(key.clone(), row);
        }
    }
    let is_accepted = |row: &Row| {
        query
            .filters
            .iter()
            .all(|filter| accepts_group(filter, |metric| row.metric(metric)))
    };
    let mut rows: Vec<Row> = by_key.into_values().filter(is_accepted).collect();
    if let Some(order) = &query.order {
        let compare = |left: &Row, right: &Row| match &order.by {
            Column::Dimension(_) => left.keys.cmp(&right.keys),
            Column::Metric(metric) => match (left.metric(*metric), right.metric(*metric)) {
                (Value::Number(left), Value::Number(right)) => left.total_cmp(&right),
                _ => Ordering::Equal,
            },
        };
        // Rows that are equal stay in the order of their times.
        rows.sort_by(|left, right| {
            if order.is_descending {
                compare(right, left)
            } else {
                compare(left, right)
            }
        });
    }
    if query.order.is_none() {
        rows.drain(..rows.len().saturating_sub(query.limit));
    }
    rows.truncate(query.limit);
    rows
}
