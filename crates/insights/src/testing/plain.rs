//! The answer to a query by reading all events, one after the other.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use h3o::{CellIndex, LatLng, Resolution};
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{RoundMode, Timestamp, ToSpan, Unit, ZonedDateTime, ZonedDateTimeRound};

use crate::event::{Event, Field};
use crate::query::{Column, Dimension, Filter, Metric, Operator, Query, Value};
use crate::zone::Interval;

/// The rows of the answer, in the order of [`Query::selected`].
pub fn evaluate(query: &Query, events: &[Event]) -> Vec<Vec<Value>> {
    let zone = &query.zone;
    let zone = TimeZone::get(zone.name()).expect("zone");
    let dimensions = query.groups();
    let mut groups: HashMap<String, Group> = HashMap::new();
    if dimensions.is_empty() {
        group_of(&mut groups, Vec::new());
    }
    for event in events {
        let is_found = query.from <= event.time && event.time < query.to;
        if !is_found || !query.filters.iter().all(|filter| is_true(filter, event, &zone)) {
            continue;
        }
        for keys in keys(&dimensions, event, &zone) {
            group_of(&mut groups, keys).add(event);
        }
    }
    if let Some(interval) = query.filled_interval() {
        let mut time = query.from;
        while time < query.to {
            let start = Value::Time(interval_start(interval, time, &zone));
            group_of(&mut groups, vec![start; dimensions.len()]);
            // No interval is shorter, except the last one.
            time = if time == query.to - 1 {
                query.to
            } else {
                (time + 15 * 60_000).min(query.to - 1)
            };
        }
    }
    let mut groups: Vec<Group> = groups.into_values().filter(|group| is_kept(query, group)).collect();
    groups.sort_by(|left, right| {
        let mut ordering = Ordering::Equal;
        if let Some(order) = &query.order {
            ordering = compare(
                &left.value(&order.by, &dimensions),
                &right.value(&order.by, &dimensions),
            );
            if order.is_descending {
                ordering = ordering.reverse();
            }
        }
        ordering.then_with(|| {
            let each = left
                .keys
                .iter()
                .zip(&right.keys)
                .map(|(left, right)| compare(left, right));
            each.fold(Ordering::Equal, Ordering::then)
        })
    });
    if groups.len() > query.limit && query.order.is_none() {
        keep_latest(&mut groups, query.limit, &dimensions);
    }
    groups.truncate(query.limit);
    let selected = query.selected();
    groups
        .iter()
        .map(|group| selected.iter().map(|column| group.value(column, &dimensions)).collect())
        .collect()
}

/// Keeps the groups with the latest times, and of those with the same time the first ones, if the time is a group.
fn keep_latest(groups: &mut Vec<Group>, limit: usize, dimensions: &[Dimension]) {
    let time = dimensions.iter().position(|of| matches!(of, Dimension::Time { .. }));
    let Some(time) = time else {
        return;
    };
    let mut places: Vec<usize> = (0..groups.len()).collect();
    places.sort_by(|left, right| compare(&groups[*right].keys[time], &groups[*left].keys[time]));
    places.truncate(limit);
    let mut place = 0..;
    groups.retain(|_| places.contains(&place.next().expect("a number")));
}

#[derive(Default)]
struct Group {
    keys: Vec<Value>,
    events: u64,
    visitors: HashSet<u64>,
    sessions: HashSet<u64>,
    feedback: [u64; 3],
    ratings: [u64; 2],
}

impl Group {
    fn add(&mut self, event: &Event) {
        self.events += 1;
        self.visitors.insert(event.visitor);
        self.sessions.insert(event.session);
        if event.get(Field::Type) == Some("page_post_feedback") {
            match event.get(Field::PageFeedbackRating) {
                Some("ok") => self.feedback[0] += 1,
                Some("good") => self.feedback[1] += 1,
                Some("bad") => self.feedback[2] += 1,
                _ => {}
            }
        }
        match event.get(Field::AskRating) {
            Some("1") => self.ratings[0] += 1,
            Some("-1") => self.ratings[1] += 1,
            _ => {}
        }
    }

    fn value(&self, column: &Column, dimensions: &[Dimension]) -> Value {
        match column {
            Column::Dimension(dimension) => {
                self.keys[dimensions.iter().position(|of| of == dimension).expect("a group")].clone()
            }
            Column::Metric(Metric::Events) => Value::Number(self.events as f64),
            Column::Metric(Metric::Visitors) => Value::Number(self.visitors.len() as f64),
            Column::Metric(Metric::Sessions) => Value::Number(self.sessions.len() as f64),
            Column::Metric(Metric::PageFeedback) => {
                let [ok, good, bad] = self.feedback;
                Value::Feedback { ok, good, bad }
            }
            Column::Metric(Metric::AskRatings) => {
                let [positive, negative] = self.ratings;
                Value::Ratings { positive, negative }
            }
        }
    }
}

fn group_of(groups: &mut HashMap<String, Group>, keys: Vec<Value>) -> &mut Group {
    groups.entry(format!("{keys:?}")).or_insert_with(|| Group {
        keys,
        ..Group::default()
    })
}

/// All combinations of the values of the dimensions.
fn keys(dimensions: &[Dimension], event: &Event, zone: &TimeZone) -> Vec<Vec<Value>> {
    let mut combinations = vec![Vec::<Value>::new()];
    for (index, dimension) in dimensions.iter().enumerate() {
        // The same dimension twice is not two.
        if let Some(earlier) = dimensions[..index].iter().position(|of| of == dimension) {
            combinations
                .iter_mut()
                .for_each(|keys| keys.extend_from_within(earlier..=earlier));
            continue;
        }
        let values = values(dimension, event, zone);
        combinations = combinations
            .iter()
            .flat_map(|keys| {
                values
                    .iter()
                    .map(|value| [keys.as_slice(), std::slice::from_ref(value)].concat())
            })
            .collect();
    }
    combinations
}

fn text(value: Option<&str>) -> Value {
    value.map_or(Value::Null, |text| Value::Text(text.into()))
}

fn claims(event: &Event) -> serde_json::Value {
    event.get(Field::Claims).map_or(serde_json::Value::Null, |text| {
        serde_json::from_str(text).expect("JSON")
    })
}

/// The values of an event: one, except for the properties of claims.
fn values(dimension: &Dimension, event: &Event, zone: &TimeZone) -> Vec<Value> {
    let value = match dimension {
        Dimension::Time { interval: None } => Value::Time(event.time),
        Dimension::Time {
            interval: Some(interval),
        } => Value::Time(interval_start(*interval, event.time, zone)),
        Dimension::Field(field) => text(event.get(*field)),
        Dimension::Page => match event.get(Field::Space) {
            Some(space) => Value::Page {
                space: space.into(),
                page: event.get(Field::Page).map(Into::into),
            },
            None => Value::Null,
        },
        Dimension::Point { precision } => point(event, *precision),
        Dimension::Claim(path) => match claim(&claims(event), path) {
            None | Some(serde_json::Value::Null) => Value::Null,
            Some(serde_json::Value::String(claim)) => text(Some(claim)),
            Some(claim) => text(Some(&claim.to_string())),
        },
        Dimension::ClaimProperty => {
            let names: Vec<Value> = claims(event)
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, _)| text(Some(name)))
                .collect();
            return if names.is_empty() { vec![Value::Null] } else { names };
        }
    };
    vec![value]
}

fn claim<'a>(value: &'a serde_json::Value, path: &str) -> Option<&'a serde_json::Value> {
    if let Some(found) = value.get(path) {
        return Some(found);
    }
    let dot = path.find('.')?;
    claim(value.get(&path[..dot])?, &path[dot + 1..])
}

fn point(event: &Event, precision: u8) -> Value {
    let numbers: Vec<f64> = event
        .get(Field::Point)
        .unwrap_or_default()
        .split(',')
        .filter_map(|number| number.parse().ok())
        .collect();
    let [latitude, longitude] = numbers[..] else {
        return Value::Null;
    };
    let resolution = Resolution::try_from(precision).expect("a resolution");
    let cell = LatLng::new(latitude, longitude).expect("a point").to_cell(resolution);
    let center = LatLng::from(cell);
    Value::Point {
        latitude: center.lat(),
        longitude: center.lng(),
        cell: cell.to_string(),
    }
}

fn interval_start(interval: Interval, time: i64, zone: &TimeZone) -> i64 {
    let local = Timestamp::from_millisecond(time)
        .expect("a time")
        .to_zoned_datetime(zone.clone());
    let first_day = match interval {
        Interval::Hour => return hour_start(&local).timestamp().as_millisecond(),
        Interval::Day => local.date(),
        Interval::Week => local
            .date()
            .tomorrow()
            .expect("a date")
            .nth_weekday(-1, Weekday::Monday)
            .expect("a Monday"),
        Interval::Month => local.date().first_of_month(),
    };
    // The first moment of the first day that has one.
    let mut day = first_day;
    loop {
        let noon = day.at(12, 0, 0, 0).to_zoned_datetime(zone.clone()).expect("a time");
        if noon.date() == day {
            return noon.start_of_day().expect("a day").timestamp().as_millisecond();
        }
        day = day.tomorrow().expect("a date");
    }
}

/// The start of the hour at the offset of the time, or when that offset began.
fn hour_start(local: &ZonedDateTime) -> ZonedDateTime {
    let elapsed = i64::from(local.minute()).minutes().seconds(i64::from(local.second()));
    let elapsed = elapsed.nanoseconds(i64::from(local.subsec_nanosecond()));
    let start = local.checked_sub(elapsed).expect("a time");
    if start.offset() == local.offset() {
        return start;
    }
    let transition = local
        .time_zone()
        .preceding(local.timestamp())
        .next()
        .expect("a transition")
        .timestamp();
    // A transition at the very moment precedes nothing.
    let now = local
        .round(
            ZonedDateTimeRound::new()
                .smallest(Unit::Millisecond)
                .mode(RoundMode::Trunc),
        )
        .expect("a time");
    let at = |timestamp: Timestamp| timestamp.to_zoned_datetime(local.time_zone().clone());
    if at(transition).offset() == local.offset() {
        at(transition)
    } else {
        now
    }
}

fn is_true(filter: &Filter, event: &Event, zone: &TimeZone) -> bool {
    let Column::Dimension(dimension) = &filter.column else {
        return true;
    };
    if matches!(dimension, Dimension::Point { .. }) {
        let is_in = filter.values.iter().any(|wanted| match wanted {
            Value::Point { cell, .. } => {
                let resolution = cell.parse::<CellIndex>().expect("a cell").resolution();
                matches!(point(event, resolution.into()), Value::Point { cell: of, .. } if of == *cell)
            }
            _ => point(event, 0) == Value::Null,
        });
        return is_in == (filter.operator == Operator::In);
    }
    let values = values(dimension, event, zone);
    match filter.operator {
        Operator::NotIn => values.iter().all(|value| accepts(filter, value)),
        _ => values.iter().any(|value| accepts(filter, value)),
    }
}

fn is_kept(query: &Query, group: &Group) -> bool {
    query.filters.iter().all(|filter| match filter.column {
        Column::Dimension(_) => true,
        Column::Metric(_) => accepts(filter, &group.value(&filter.column, &[])),
    })
}

fn accepts(filter: &Filter, value: &Value) -> bool {
    let ordering = || match (value, filter.values.first()) {
        (Value::Null, _) | (_, None) => None,
        (value, Some(bound)) => Some(compare(value, bound)),
    };
    match filter.operator {
        Operator::In => filter.values.contains(value),
        Operator::NotIn => !filter.values.contains(value),
        Operator::GreaterThan => ordering() == Some(Ordering::Greater),
        Operator::GreaterThanOrEqual => ordering().is_some_and(Ordering::is_ge),
        Operator::LessThan => ordering() == Some(Ordering::Less),
        Operator::LessThanOrEqual => ordering().is_some_and(Ordering::is_le),
    }
}

/// Null first, texts by their bytes.
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Text(left), Value::Text(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Number(left), Value::Number(right)) => left.total_cmp(right),
        (Value::Time(left), Value::Time(right)) => left.cmp(right),
        (
            Value::Page { space, page },
            Value::Page {
                space: other_space,
                page: other_page,
            },
        ) => (space, page).cmp(&(other_space, other_page)),
        (Value::Point { cell, .. }, Value::Point { cell: other, .. }) => cell.cmp(other),
        _ => panic!("{left:?} and {right:?} are not of one column"),
    }
}
