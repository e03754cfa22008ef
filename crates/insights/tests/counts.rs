//! Distinct counts and the bounds of groups.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use insights::testing::Random;
use insights::{
    AddError, Column, Dimension, Evaluation, Event, Field, Interval, MAX_GROUPS, Metric, Query, Value, Zone, encode,
};

fn query(select: Vec<Column>) -> Query {
    Query {
        from: 0,
        to: i64::from(u32::MAX),
        zone: Zone::UTC,
        select,
        filters: Vec::new(),
        group_by: Vec::new(),
        order: None,
        limit: 1000,
    }
}

fn visit(visitor: u64, time: i64) -> Event {
    Event {
        time,
        visitor,
        session: visitor,
        values: Vec::new(),
    }
}

/// The count of visitors from segments of 50,000 events, and that of two evaluations merged.
fn visitors(events: &[Event]) -> f64 {
    let query = query(vec![Column::Metric(Metric::Visitors)]);
    let mut evaluation = Evaluation::new(query.clone(), 64 << 20);
    let mut halves = [
        Evaluation::new(query.clone(), 64 << 20),
        Evaluation::new(query, 64 << 20),
    ];
    for (index, part) in events.chunks(50_000).enumerate() {
        let columns = encode(part).columns;
        evaluation.add(&columns).unwrap();
        halves[index % 2].add(&columns).unwrap();
    }
    let [mut merged, other] = halves;
    merged.merge(other).unwrap();
    let rows = evaluation.finish();
    assert_eq!(rows, merged.finish());
    match rows[0][0] {
        Value::Number(count) => count,
        _ => 0.0,
    }
}

#[test]
fn distinct_visitors_are_exact_to_a_hundred_thousand() {
    for (distinct, repeats) in [(1, 5), (1_000, 3), (65_537, 2), (100_000, 2)] {
        let random = &mut Random::new(distinct);
        let ids: Vec<u64> = (0..distinct).map(|_| random.next()).collect();
        let events: Vec<Event> = (0..distinct * repeats)
            .map(|index| visit(ids[(index % distinct) as usize], index as i64))
            .collect();
        assert_eq!(visitors(&events), distinct as f64);
    }
}

#[test]
fn more_distinct_visitors_are_within_two_percent() {
    for (seed, distinct) in [(1, 100_001), (2, 200_000), (3, 1_000_000)] {
        let random = &mut Random::new(seed);
        let events: Vec<Event> = (0..distinct).map(|index| visit(random.next(), index)).collect();
        let error = visitors(&events) / distinct as f64 - 1.0;
        assert!(error.abs() < 0.02, "{distinct}: {error}");
    }
    // Hashes that are not random.
    let events: Vec<Event> = (0..300_000).map(|index| visit(index, index as i64)).collect();
    let error = visitors(&events) / 300_000.0 - 1.0;
    assert!(error.abs() < 0.02, "{error}");
}

#[test]
fn groups_are_bounded() {
    let mut evaluation = Evaluation::new(
        query(vec![Column::Dimension(Dimension::Time { interval: None })]),
        1 << 30,
    );
    let events: Vec<Event> = (0..=MAX_GROUPS as i64).map(|time| visit(1, time)).collect();
    evaluation.add(&encode(&events[1..]).columns).unwrap();
    assert_eq!(
        evaluation.add(&encode(&events[..1]).columns),
        Err(AddError::TooManyGroups)
    );
}

#[test]
fn memory_is_bounded() {
    let select = vec![
        Column::Dimension(Dimension::Field(Field::Url)),
        Column::Metric(Metric::Visitors),
    ];
    let events: Vec<Event> = (0..20_000)
        .map(|index| Event {
            values: vec![(
                Field::Url,
                format!("https://docs.example.com/{}", index % 10_000).into(),
            )],
            ..visit(index, 0)
        })
        .collect();
    let columns = encode(&events).columns;
    assert_eq!(
        Evaluation::new(query(select.clone()), 1 << 20).add(&columns),
        Err(AddError::TooManyGroups)
    );
    let mut halves = events.chunks(10_000).map(|events| {
        let mut evaluation = Evaluation::new(query(select.clone()), 2 << 20);
        evaluation.add(&encode(events).columns).map(|()| evaluation)
    });
    let (mut one, other) = (halves.next().unwrap().unwrap(), halves.next().unwrap().unwrap());
    assert_eq!(one.merge(other), Ok(()));
    assert_eq!(Evaluation::new(query(select), 4 << 20).add(&columns), Ok(()));
}

#[test]
fn an_empty_range_has_a_row_of_totals_only() {
    let evaluation = Evaluation::new(query(Vec::new()), 1 << 20);
    assert_eq!(evaluation.finish(), [[Value::Number(0.0)]]);
    let evaluation = Evaluation::new(query(vec![Column::Dimension(Dimension::Page)]), 1 << 20);
    assert_eq!(evaluation.finish(), Vec::<Vec<Value>>::new());
}

#[test]
fn empty_intervals_are_filled_up_to_the_limit() {
    let mut hours = query(vec![
        Column::Dimension(Dimension::Time {
            interval: Some(Interval::Hour),
        }),
        Column::Metric(Metric::Events),
    ]);
    hours.limit = 3;
    let mut evaluation = Evaluation::new(hours, 1 << 20);
    evaluation
        .add(&encode(&[visit(1, 3_600_000), visit(2, 3_700_000)]).columns)
        .unwrap();
    let row = |hour: i64, events: f64| vec![Value::Time(hour * 3_600_000), Value::Number(events)];
    // Without an order, the latest ones stay.
    assert_eq!(evaluation.finish(), [row(1191, 0.0), row(1192, 0.0), row(1193, 0.0)]);
}
