//! Filters as conditions.

use h3o::CellIndex;

use super::expressions::{interval_key, metric_names, scalar};
use super::statement::Parameters;
use crate::query::{Dimension, Filter, Metric, Operator, Query, Value};
use crate::zone::{Buckets, Interval};

const FALSE: &str = "0";

/// The condition of a filter of events. It is true or false, never null.
pub(super) fn event_condition(
    dimension: &Dimension,
    filter: &Filter,
    query: &Query,
    parameters: &mut Parameters,
) -> String {
    if filter.operator.is_comparison() {
        return comparison(dimension, filter, query, parameters);
    }
    let is_in = any(filter
        .values
        .iter()
        .map(|value| is(dimension, value, query, parameters))
        .collect());
    negated(filter.operator, is_in)
}

fn any(conditions: Vec<String>) -> String {
    if conditions.is_empty() {
        FALSE.to_owned()
    } else {
        format!("({})", conditions.join(" OR "))
    }
}

fn negated(operator: Operator, is_in: String) -> String {
    if operator == Operator::NotIn {
        format!("NOT {is_in}")
    } else {
        is_in
    }
}

/// The condition that the dimension has the value.
fn is(dimension: &Dimension, value: &Value, query: &Query, parameters: &mut Parameters) -> String {
    match (dimension, value) {
        (Dimension::Time { interval: None }, Value::Time(time)) => format!("time = {}", parameters.signed(*time)),
        (
            Dimension::Time {
                interval: Some(interval),
            },
            Value::Time(time),
        ) => {
            let bound = Bound::new(*interval, *time, query);
            match bound.is_start {
                true => format!(
                    "{} = {}",
                    interval_key(*interval, query, parameters),
                    parameters.signed(bound.key)
                ),
                false => FALSE.to_owned(),
            }
        }
        (Dimension::Page, Value::Null) => "isNull(space)".to_owned(),
        (Dimension::Page, Value::Page { space, page }) => {
            let space = parameters.text(space);
            let page = match page {
                Some(page) => format!("page = {}", parameters.text(page)),
                None => "isNull(page)".to_owned(),
            };
            format!("ifNull(space = {space} AND {page}, 0)")
        }
        (Dimension::Point { .. }, Value::Null) => "empty(cells)".to_owned(),
        (Dimension::Point { .. }, Value::Point { cell, .. }) => match cell.parse::<CellIndex>() {
            Ok(cell) => {
                let place = u8::from(cell.resolution()) + 1;
                format!("cells[{place}] = {}", parameters.unsigned(cell.into()))
            }
            Err(_) => FALSE.to_owned(),
        },
        (Dimension::ClaimProperty, Value::Null) => "empty(claim_names)".to_owned(),
        (Dimension::ClaimProperty, Value::Text(name)) => format!("has(claim_names, {})", parameters.text(name)),
        (Dimension::Field(_) | Dimension::Claim(_), Value::Null) => {
            format!("isNull({})", scalar(dimension, parameters))
        }
        (Dimension::Field(_) | Dimension::Claim(_), Value::Text(text)) => {
            let (column, text) = (scalar(dimension, parameters), parameters.text(text));
            format!("ifNull({column} = {text}, 0)")
        }
        _ => FALSE.to_owned(),
    }
}

fn comparison(dimension: &Dimension, filter: &Filter, query: &Query, parameters: &mut Parameters) -> String {
    let operator = sign(filter.operator);
    match (dimension, filter.values.first()) {
        (Dimension::Time { interval: None }, Some(Value::Time(time))) => {
            format!("time {operator} {}", parameters.signed(*time))
        }
        (
            Dimension::Time {
                interval: Some(interval),
            },
            Some(Value::Time(time)),
        ) => {
            let bound = Bound::new(*interval, *time, query);
            let key = interval_key(*interval, query, parameters);
            format!("{key} {} {}", bound.sign(filter.operator), parameters.signed(bound.key))
        }
        (Dimension::ClaimProperty, Some(Value::Text(text))) => {
            format!(
                "arrayExists(name -> name {operator} {}, claim_names)",
                parameters.text(text)
            )
        }
        (Dimension::Field(_) | Dimension::Claim(_), Some(Value::Text(text))) => {
            let (column, text) = (scalar(dimension, parameters), parameters.text(text));
            format!("ifNull({column} {operator} {text}, 0)")
        }
        _ => FALSE.to_owned(),
    }
}

const fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::GreaterThan => ">",
        Operator::GreaterThanOrEqual => ">=",
        Operator::LessThan => "<",
        Operator::LessThanOrEqual => "<=",
        Operator::In | Operator::NotIn => "=",
    }
}

/// A time among the starts of intervals: the key of the last interval that does not start after it.
struct Bound {
    key: i64,
    /// The interval starts at the time.
    is_start: bool,
}

impl Bound {
    fn new(interval: Interval, time: i64, query: &Query) -> Self {
        let buckets = Buckets::new(&query.zone, interval, query.from, query.to);
        let (key, start) = buckets.last_start(time);
        Self {
            key,
            is_start: start == time,
        }
    }

    /// The sign that compares keys where starts are compared with the time.
    fn sign(&self, operator: Operator) -> &'static str {
        match operator {
            // A start that is equal or greater than the time is greater than that of the interval before it.
            Operator::GreaterThanOrEqual if !self.is_start => ">",
            Operator::LessThan if !self.is_start => "<=",
            operator => sign(operator),
        }
    }
}

/// The condition of a filter of groups.
pub(super) fn group_condition(metric: Metric, filter: &Filter, parameters: &mut Parameters) -> String {
    let names = metric_names(metric);
    if filter.operator.is_comparison() {
        return match (names, filter.values.first()) {
            ([name], Some(Value::Number(number))) => {
                format!(
                    "toFloat64({name}) {} {}",
                    sign(filter.operator),
                    parameters.float(*number)
                )
            }
            _ => FALSE.to_owned(),
        };
    }
    let is = |value: &Value| match (names, value) {
        ([name], Value::Number(number)) => format!("toFloat64({name}) = {}", parameters.float(*number)),
        (names, Value::Feedback { ok, good, bad }) => all(names, &[*ok, *good, *bad], parameters),
        (names, Value::Ratings { positive, negative }) => all(names, &[*positive, *negative], parameters),
        _ => FALSE.to_owned(),
    };
    let is_in = any(filter.values.iter().map(is).collect());
    negated(filter.operator, is_in)
}

fn all(names: &[&str], counts: &[u64], parameters: &mut Parameters) -> String {
    let each: Vec<_> = names
        .iter()
        .zip(counts)
        .map(|(name, count)| format!("{name} = {}", parameters.unsigned(*count)))
        .collect();
    format!("({})", each.join(" AND "))
}
