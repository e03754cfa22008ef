//! Random queries of random events in random segments give what a plain reading of the events gives.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use insights::testing::{Random, evaluate, random_events, random_query};
use insights::{
    Column, Dimension, Encoded, Evaluation, Event, Field, Filter, Interval, Metric, Operator, Query, Value, decode,
    encode, merge,
};

const MAX_BYTES: usize = 64 << 20;
const DAY: i64 = 86_400_000;

/// In 2025 clocks change in Europe on 30 March and 26 October, in North America on 9 March and 2 November, on Lord Howe
/// on 6 April and 5 October; weeks and months cross the ends of years; Samoa left out a day in 2011.
const STARTS: [&str; 8] = [
    "2025-03-28T00:00:00Z",
    "2025-10-24T00:00:00Z",
    "2025-03-07T00:00:00Z",
    "2025-10-31T00:00:00Z",
    "2025-04-04T00:00:00Z",
    "2025-10-03T00:00:00Z",
    "2024-12-27T00:00:00Z",
    "2011-12-28T00:00:00Z",
];

fn segments(random: &mut Random, events: &[Event]) -> Vec<Encoded> {
    let mut segments: Vec<Vec<Event>> = vec![Vec::new(); 1 + random.below(6) as usize];
    let count = segments.len() as u64;
    let is_by_time = random.one_in(2);
    let first = events.iter().map(|event| event.time).min().unwrap_or(0);
    for event in events {
        let number = if is_by_time {
            ((event.time - first) / DAY) as u64 % count
        } else {
            random.below(count)
        };
        segments[number as usize].push(event.clone());
    }
    segments
        .iter()
        .map(|events| {
            let encoded = encode(events);
            assert_eq!(
                Encoded::columns_from_bytes(&encoded.to_bytes()).unwrap(),
                encoded.columns
            );
            encoded
        })
        .collect()
}

/// The answer of two evaluations that share the segments, from the columns that the query needs.
fn answer(random: &mut Random, query: &Query, segments: &[Encoded]) -> Vec<Vec<Value>> {
    let mut evaluations = [
        Evaluation::new(query.clone(), MAX_BYTES),
        Evaluation::new(query.clone(), MAX_BYTES),
    ];
    for segment in segments {
        let rollup = query.rollup_of(segment.events, segment.first, segment.last);
        let needed = rollup.map_or_else(|| query.columns(), |rollup| vec![rollup]);
        let columns: Vec<_> = segment
            .columns
            .iter()
            .filter(|(number, _)| needed.contains(number))
            .cloned()
            .collect();
        evaluations[random.below(2) as usize].add(&columns).unwrap();
    }
    let [mut evaluation, other] = evaluations;
    evaluation.merge(other).unwrap();
    evaluation.finish()
}

#[test]
fn queries_give_what_the_events_give() {
    let mut rows = 0;
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let start = random
            .pick(&STARTS)
            .parse::<jiff::Timestamp>()
            .unwrap()
            .as_millisecond();
        let count = 1 + random.zipf(600) as usize;
        let days = *random.pick(&[1, 5, 5, 40]);
        let events = random_events(random, count, start, start + days * DAY);
        let segments = segments(random, &events);
        for _ in 0..4 {
            let query = random_query(random, &events);
            assert_eq!(query.check(), Ok(()), "seed {seed}: {query:#?}");
            let expected = evaluate(&query, &events);
            rows += expected.len();
            let found = answer(random, &query, &segments);
            assert_eq!(found, expected, "seed {seed}: {query:#?}");
        }
    }
    assert!(rows > 5_000, "only {rows} rows were compared");
}

/// Queries of what rollups count by, with their other parts as random as those of all queries.
fn query_of_rollups(random: &mut Random, events: &[Event]) -> Query {
    let field = |field| Dimension::Field(field);
    let interval = Some(*random.pick(&[Interval::Hour, Interval::Day, Interval::Week, Interval::Month]));
    let dimensions = match random.below(3) {
        0 => vec![field(Field::Type), Dimension::Time { interval }],
        1 => vec![field(Field::Type), Dimension::Page, field(Field::Space)],
        _ => vec![field(Field::Type), field(Field::SearchQuery)],
    };
    let mut query = random_query(random, events);
    query.select = vec![Column::Metric(Metric::Events)];
    query.group_by = (0..random.below(3)).map(|_| random.pick(&dimensions).clone()).collect();
    query.order = None;
    query.filters.retain(|filter| match &filter.column {
        Column::Dimension(dimension) => dimensions.contains(dimension),
        Column::Metric(metric) => *metric == Metric::Events,
    });
    if random.one_in(2) {
        query.filters.push(Filter {
            column: Column::Dimension(field(Field::Type)),
            operator: *random.pick(&[Operator::In, Operator::NotIn]),
            values: vec![Value::Text(random.pick(events).get(Field::Type).unwrap().into())],
        });
    }
    query
}

#[test]
fn rollups_give_what_the_events_give() {
    let (mut rows, mut filters) = (0, 0);
    for seed in 0..40 {
        let random = &mut Random::new(seed);
        let start = random
            .pick(&STARTS)
            .parse::<jiff::Timestamp>()
            .unwrap()
            .as_millisecond();
        let days = *random.pick(&[1, 3]);
        let events = random_events(random, 20_000, start, start + days * DAY);
        let segments = segments(random, &events);
        for _ in 0..10 {
            let query = query_of_rollups(random, &events);
            assert_eq!(query.check(), Ok(()), "seed {seed}: {query:#?}");
            assert!(query.rollup().is_some(), "seed {seed}: {query:#?}");
            let expected = evaluate(&query, &events);
            let is_rolled_up =
                |segment: &Encoded| query.rollup_of(segment.events, segment.first, segment.last).is_some();
            if segments.iter().any(is_rolled_up) {
                rows += expected.len();
                filters += query.filters.len();
            }
            let found = answer(random, &query, &segments);
            assert_eq!(found, expected, "seed {seed}: {query:#?}");
        }
    }
    assert!(
        rows > 500 && filters > 15,
        "only {rows} rows with {filters} filters were compared"
    );
}

#[test]
fn segments_give_back_their_events() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let count = random.zipf(300) as usize;
        let mut events = random_events(random, count, 0, 3 * DAY);
        let segments = segments(random, &events);
        let merged = merge(
            &segments
                .iter()
                .map(|segment| segment.columns.clone())
                .collect::<Vec<_>>(),
        )
        .unwrap();
        let mut decoded = decode(&merged.columns).unwrap();
        assert!(decoded.is_sorted_by_key(|event| event.time));
        let key = |event: &Event| format!("{:020} {event:?}", event.time);
        events.sort_by_cached_key(key);
        decoded.sort_by_cached_key(key);
        assert_eq!(decoded, events, "seed {seed}");
        assert_eq!(merged.events as usize, count);
        assert_eq!(merged.first, events.first().map_or(0, |event| event.time));
        assert_eq!(merged.last, events.last().map_or(0, |event| event.time));
    }
}
