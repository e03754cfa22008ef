//! Decoded bytes, and what takes no more memory than them.

use std::collections::HashSet;
use std::sync::Arc;

use insights::testing::{Random, random_events};
use insights::{
    Column, Dimension, Evaluation, Event, Field, Metric, Query, TIME, VISITOR, Value, Zone, decode, encode, events_at,
    has_visitors, keys, merge, remove_visitors, times,
};

fn event(time: i64, text: &str) -> Event {
    Event {
        time,
        visitor: 1,
        session: 1,
        values: vec![
            (Field::Type, "page_view".into()),
            (Field::PageFeedbackComment, text.into()),
        ],
    }
}

#[test]
fn equal_texts_are_in_memory_once() {
    let long = "x".repeat(8_000);
    let events: Vec<Event> = (0..5_000).map(|time| event(time, &long)).collect();
    let encoded = encode(&events);
    // One text, and the events without it.
    assert!(encoded.bytes < 8_000 + 5_000 * 128, "{}", encoded.bytes);
    assert!(events.iter().map(Event::bytes).sum::<u64>() > 5_000 * 8_000);
    let decoded = decode(&merge(&[encoded.columns.clone(), encoded.columns]).unwrap().columns).unwrap();
    assert_eq!(decoded.len(), 10_000);
    let text = |event: &Event| Arc::clone(&event.values[1].1);
    let first = text(&decoded[0]);
    assert!(decoded.iter().all(|event| Arc::ptr_eq(&text(event), &first)));
}

#[test]
fn a_merged_segment_has_no_more_bytes_than_its_parts() {
    let random = &mut Random::new(8);
    for count in [1, 30, 700] {
        let parts: Vec<_> = (0..5)
            .map(|_| encode(&random_events(random, count, 0, 86_400_000)))
            .collect();
        let sum: u64 = parts.iter().map(|part| part.bytes).sum();
        let merged = merge(&parts.into_iter().map(|part| part.columns).collect::<Vec<_>>()).unwrap();
        assert!(merged.bytes <= sum, "{} of {sum}", merged.bytes);
    }
    let texts: Vec<Event> = (0..100)
        .map(|number| event(number, &format!("{number} {}", "y".repeat(1_000))))
        .collect();
    assert!(encode(&texts).bytes > 100_000);
}

#[test]
fn events_are_read_by_their_rows() {
    let random = &mut Random::new(9);
    let events = random_events(random, 300, 0, 86_400_000);
    let columns = encode(&events).columns;
    let only_times: Vec<_> = columns.iter().filter(|(number, _)| *number == TIME).cloned().collect();
    let times = times(&only_times).unwrap();
    let middle = {
        let mut sorted = times.clone();
        sorted.sort_unstable();
        sorted[150]
    };
    let mut found = keys(&columns, |time| time < middle).unwrap();
    found.sort_unstable();
    assert_eq!(found.len(), times.iter().filter(|time| **time < middle).count());
    let rows: Vec<u32> = found.iter().map(|(_, row)| *row).collect();
    let read = events_at(&columns, &rows).unwrap();
    assert!(read.is_sorted_by_key(|event| (event.time, event.visitor, event.session)));
    for event in &read {
        assert!(events.contains(event));
    }
    // The place of an event does not depend on its segment.
    let alone = keys(&encode(&read[..1]).columns, |_| true).unwrap();
    assert_eq!(alone[0].0, found[0].0);
}

#[test]
fn several_visitors_are_removed_at_once() {
    let events = random_events(&mut Random::new(10), 400, 0, 86_400_000);
    let columns = encode(&events).columns;
    let visitors: HashSet<u64> = events.iter().take(3).map(|event| event.visitor).collect();
    let ids: Vec<_> = columns
        .iter()
        .filter(|(number, _)| [TIME, VISITOR].contains(number))
        .cloned()
        .collect();
    assert_eq!(has_visitors(&ids, &visitors), Ok(true));
    let rest = remove_visitors(&columns, &visitors).unwrap().unwrap();
    let expected = events.iter().filter(|event| !visitors.contains(&event.visitor)).count();
    assert_eq!(rest.events as usize, expected);
    assert_eq!(has_visitors(&rest.columns, &visitors), Ok(false));
    assert_eq!(remove_visitors(&rest.columns, &visitors), Ok(None));
}

#[test]
fn events_with_many_claims_are_counted_in_parts() {
    // 4,000,000 pairs of an event and a claim.
    let claims: Vec<String> = (0..1_000).map(|number| format!(r#""claim-{number}":1"#)).collect();
    let claims: Arc<str> = format!("{{{}}}", claims.join(",")).into();
    let events: Vec<Event> = (0..4_000)
        .map(|number| Event {
            time: number,
            visitor: number as u64 % 7,
            session: 1,
            values: vec![(Field::Claims, Arc::clone(&claims))],
        })
        .collect();
    let mut evaluation = Evaluation::new(
        Query {
            from: 0,
            to: 10_000,
            zone: Zone::UTC,
            select: vec![
                Column::Dimension(Dimension::ClaimProperty),
                Column::Metric(Metric::Events),
                Column::Metric(Metric::Visitors),
            ],
            filters: Vec::new(),
            group_by: Vec::new(),
            order: None,
            limit: 2_000,
        },
        64 << 20,
    );
    evaluation.add(&encode(&events).columns).unwrap();
    let rows = evaluation.finish();
    assert_eq!(rows.len(), 1_000);
    assert!(
        rows.iter()
            .all(|row| row[1..] == [Value::Number(4_000.0), Value::Number(7.0)])
    );
}
