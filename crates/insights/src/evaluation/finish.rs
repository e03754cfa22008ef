//! Groups as the rows of an answer.

use std::cmp::Ordering;

use super::filter::accepts_group;
use super::groups::Groups;
use super::key::Key;
use crate::query::{Column, Dimension, Metric, Order, Query, Value};
use crate::zone::Buckets;

pub(super) fn rows(query: &Query, dimensions: &[Dimension], mut groups: Groups) -> Vec<Vec<Value>> {
    if let Some(interval) = query.filled_interval() {
        groups.ensure(
            Buckets::new(&query.zone, interval, query.from, query.to)
                .starts()
                .into_iter()
                .map(Key::Time),
        );
    }
    let metrics: Vec<(Metric, Vec<Value>)> = query
        .metrics()
        .into_iter()
        .map(|metric| (metric, groups.values(metric)))
        .collect();
    let value_of = |group: usize, metric: Metric| -> Value {
        let values = metrics.iter().find(|(of, _)| *of == metric).map(|(_, values)| values);
        values
            .and_then(|values| values.get(group))
            .cloned()
            .unwrap_or(Value::Null)
    };
    let index_of = |dimension: &Dimension| dimensions.iter().position(|of| of == dimension).unwrap_or_default();
    let mut numbers: Vec<usize> = (0..groups.len())
        .filter(|group| {
            query
                .filters
                .iter()
                .all(|filter| accepts_group(filter, |metric| value_of(*group, metric)))
        })
        .collect();
    let by_keys = |left: &usize, right: &usize| -> Ordering {
        let each = (0..dimensions.len()).map(|index| groups.key(*left, index).cmp(groups.key(*right, index)));
        each.fold(Ordering::Equal, Ordering::then)
    };
    let compare = |order: Option<&Order>, left: &usize, right: &usize| -> Ordering {
        let Some(order) = order else {
            return by_keys(left, right);
        };
        let ascending = match &order.by {
            Column::Dimension(dimension) => {
                let index = index_of(dimension);
                groups.key(*left, index).cmp(groups.key(*right, index))
            }
            Column::Metric(metric) => match (value_of(*left, *metric), value_of(*right, *metric)) {
                (Value::Number(left), Value::Number(right)) => left.total_cmp(&right),
                _ => Ordering::Equal,
            },
        };
        let ordered = if order.is_descending {
            ascending.reverse()
        } else {
            ascending
        };
        ordered.then_with(|| by_keys(left, right))
    };
    if numbers.len() > query.limit {
        let selection = query.selection();
        if query.limit > 0 {
            numbers.select_nth_unstable_by(query.limit - 1, |left, right| compare(selection.as_ref(), left, right));
        }
        numbers.truncate(query.limit);
    }
    numbers.sort_unstable_by(|left, right| compare(query.order.as_ref(), left, right));
    let selected = query.selected();
    let row = |group: usize| {
        let value = |column: &Column| match column {
            Column::Dimension(dimension) => groups.key(group, index_of(dimension)).to_value(),
            Column::Metric(metric) => value_of(group, *metric),
        };
        selected.iter().map(value).collect()
    };
    numbers.into_iter().map(row).collect()
}
