//! Random queries of random events in random segments give what a plain reading of the events gives.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use insights::testing::{Random, evaluate, random_events, random_query};
use insights::{Encoded, Evaluation, Event, Query, Value, decode, encode, merge};

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
        .map(|events| Encoded::from_bytes(&encode(events).to_bytes()).unwrap())
        .collect()
}

/// The answer of two evaluations that share the segments, from the columns that the query needs.
fn answer(random: &mut Random, query: &Query, segments: &[Encoded]) -> Vec<Vec<Value>> {
    let needed = query.columns();
    let mut evaluations = [
        Evaluation::new(query.clone(), MAX_BYTES),
        Evaluation::new(query.clone(), MAX_BYTES),
    ];
    for segment in segments {
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
