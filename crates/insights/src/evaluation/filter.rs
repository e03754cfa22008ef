//! Filters of events and of groups.

use ahash::HashSet;
use h3o::{CellIndex, Resolution};

use super::dimension::{Properties, claim_properties, codes, parse_point};
use super::key::Key;
use super::local::Local;
use super::rows::Rows;
use crate::event::Field;
use crate::query::{Column, Dimension, Filter, Metric, Operator, Value};

pub(super) struct EventFilter {
    dimension: Dimension,
    operator: Operator,
    keys: HashSet<Key<'static>>,
    /// Resolutions of the cells among the keys.
    resolutions: Vec<Resolution>,
}

impl EventFilter {
    /// `None` for a filter of groups.
    pub fn new(filter: &Filter) -> Option<Self> {
        let Column::Dimension(dimension) = &filter.column else {
            return None;
        };
        let keys: HashSet<Key<'static>> = filter.values.iter().filter_map(Key::from_value).collect();
        let mut resolutions: Vec<Resolution> = keys.iter().filter_map(resolution).collect();
        resolutions.sort_unstable();
        resolutions.dedup();
        Some(Self {
            dimension: dimension.clone(),
            operator: filter.operator,
            keys,
            resolutions,
        })
    }

    /// Keeps the rows whose events fulfill the filter.
    pub fn apply(&self, local: &Local, rows: &mut Rows) {
        match &self.dimension {
            Dimension::Time { interval: None } => rows.retain_by(&local.times, |time| self.accepts(&Key::Time(*time))),
            Dimension::Point { .. } => {
                let Some(texts) = local.texts(Field::Point) else {
                    return retain_accepted(
                        rows,
                        &vec![0; local.header.events as usize],
                        &[self.accepts(&Key::Null)],
                    );
                };
                let accepted = texts.iter().map(|text| self.accepts_point(text));
                let accepted: Vec<bool> = std::iter::once(self.accepts(&Key::Null)).chain(accepted).collect();
                retain_accepted(rows, &texts.codes, &accepted);
            }
            Dimension::ClaimProperty => {
                let Properties { codes, lists, keys } = claim_properties(local);
                let of_key: Vec<bool> = keys.iter().map(|key| self.accepts(key)).collect();
                let is_accepted = |property: &u32| of_key.get(*property as usize).copied().unwrap_or(false);
                let accepted: Vec<bool> = match self.operator {
                    Operator::NotIn => lists.iter().map(|of_text| of_text.iter().all(is_accepted)).collect(),
                    _ => lists.iter().map(|of_text| of_text.iter().any(is_accepted)).collect(),
                };
                retain_accepted(rows, &codes, &accepted);
            }
            dimension => {
                let coded = codes(local, dimension);
                let accepted: Vec<bool> = coded.keys.iter().map(|key| self.accepts(key)).collect();
                retain_accepted(rows, &coded.codes, &accepted);
            }
        }
    }

    fn contains(&self, key: &Key<'_>) -> bool {
        let keys: &HashSet<Key<'_>> = &self.keys;
        keys.contains(key)
    }

    fn accepts(&self, key: &Key<'_>) -> bool {
        let is_compared = |accepts: fn(&Key<'_>, &Key<'_>) -> bool| {
            *key != Key::Null && self.keys.iter().all(|bound| accepts(key, bound))
        };
        match self.operator {
            Operator::In => self.contains(key),
            Operator::NotIn => !self.contains(key),
            Operator::GreaterThan => is_compared(|key, bound| key > bound),
            Operator::GreaterThanOrEqual => is_compared(|key, bound| key >= bound),
            Operator::LessThan => is_compared(|key, bound| key < bound),
            Operator::LessThanOrEqual => is_compared(|key, bound| key <= bound),
        }
    }

    fn accepts_point(&self, text: &str) -> bool {
        let Some(point) = parse_point(text) else {
            return self.accepts(&Key::Null);
        };
        let is_in = self
            .resolutions
            .iter()
            .any(|resolution| self.contains(&Key::Cell(point.to_cell(*resolution).into())));
        is_in == (self.operator == Operator::In)
    }
}

fn resolution(key: &Key<'_>) -> Option<Resolution> {
    match key {
        Key::Cell(cell) => CellIndex::try_from(*cell).ok().map(CellIndex::resolution),
        _ => None,
    }
}

fn retain_accepted(rows: &mut Rows, codes: &[u32], accepted: &[bool]) {
    if accepted.iter().all(|is_accepted| *is_accepted) {
        return;
    }
    rows.retain_by(codes, |code| accepted.get(*code as usize).copied().unwrap_or(false));
}

/// Returns whether the metrics of a group fulfill a filter. Filters of events are no matter of groups.
pub(crate) fn accepts_group(filter: &Filter, value_of: impl Fn(Metric) -> Value) -> bool {
    let Column::Metric(metric) = filter.column else {
        return true;
    };
    let value = value_of(metric);
    let is_compared = |accepts: fn(f64, f64) -> bool| match (&value, filter.values.as_slice()) {
        (Value::Number(number), [Value::Number(bound)]) => accepts(*number, *bound),
        _ => false,
    };
    match filter.operator {
        Operator::In => filter.values.contains(&value),
        Operator::NotIn => !filter.values.contains(&value),
        Operator::GreaterThan => is_compared(|number, bound| number > bound),
        Operator::GreaterThanOrEqual => is_compared(|number, bound| number >= bound),
        Operator::LessThan => is_compared(|number, bound| number < bound),
        Operator::LessThanOrEqual => is_compared(|number, bound| number <= bound),
    }
}
