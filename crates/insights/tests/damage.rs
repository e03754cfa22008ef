//! Damaged bytes are errors, never panics or wrong answers.

#![expect(clippy::unwrap_used, reason = "tests")]

use insights::testing::{Random, random_events};
use insights::{
    AddError, Column, Damaged, Dimension, Encoded, Evaluation, Field, Interval, Metric, Query, Value, Zone, decode,
    encode, merge,
};

fn query() -> Query {
    Query {
        from: 100,
        to: 86_000_000,
        zone: Zone::parse("Europe/Berlin").unwrap(),
        select: vec![
            Column::Dimension(Dimension::Time {
                interval: Some(Interval::Hour),
            }),
            Column::Dimension(Dimension::Field(Field::Type)),
            Column::Metric(Metric::Visitors),
            Column::Metric(Metric::Sessions),
            Column::Metric(Metric::PageFeedback),
        ],
        filters: Vec::new(),
        group_by: Vec::new(),
        order: None,
        limit: 1000,
    }
}

fn answer(columns: &[(u8, Vec<u8>)]) -> Result<Vec<Vec<Value>>, AddError> {
    let mut evaluation = Evaluation::new(query(), 1 << 20);
    evaluation.add(columns)?;
    Ok(evaluation.finish())
}

#[test]
fn flipped_bits_are_found() {
    let random = &mut Random::new(1);
    for count in [1, 20, 400] {
        let segment = encode(&random_events(random, count, 0, 86_400_000));
        let expected = answer(&segment.columns).unwrap();
        for _ in 0..500 {
            let mut damaged = segment.columns.clone();
            let (number, bytes) = &mut damaged[random.below(segment.columns.len() as u64) as usize];
            let (number, at) = (*number, random.below(bytes.len() as u64) as usize);
            bytes[at] ^= 1 << random.below(8);
            // What a frame does not use of its header may be anything.
            match decode(&damaged) {
                Err(Damaged) => {}
                Ok(events) => assert_eq!(events, decode(&segment.columns).unwrap(), "column {number}, byte {at}"),
            }
            match answer(&damaged) {
                Err(error) => assert_eq!(error, AddError::Damaged),
                Ok(rows) => assert_eq!(rows, expected, "column {number}, byte {at}"),
            }
        }
    }
}

#[test]
fn flipped_bits_of_rollups_are_found() {
    let random = &mut Random::new(6);
    let segment = encode(&random_events(random, 5_000, 0, 86_400_000));
    let query = Query {
        from: 0,
        select: vec![Column::Dimension(Dimension::Page), Column::Metric(Metric::Events)],
        ..query()
    };
    let rollup = query.rollup().unwrap();
    let columns: Vec<_> = segment
        .columns
        .into_iter()
        .filter(|(number, _)| *number == rollup)
        .collect();
    let answer = |columns: &[(u8, Vec<u8>)]| {
        let mut evaluation = Evaluation::new(query.clone(), 1 << 20);
        evaluation.add(columns).map(|()| evaluation.finish())
    };
    let expected = answer(&columns).unwrap();
    assert!(!expected.is_empty());
    let mut found = 0;
    for _ in 0..500 {
        let mut damaged = columns.clone();
        let at = random.below(damaged[0].1.len() as u64) as usize;
        damaged[0].1[at] ^= 1 << random.below(8);
        match answer(&damaged) {
            Err(error) => {
                assert_eq!(error, AddError::Damaged);
                found += 1;
            }
            Ok(rows) => assert_eq!(rows, expected, "byte {at}"),
        }
    }
    assert!(found > 490, "only {found} of 500 were found");
}

#[test]
fn cut_columns_are_found() {
    let random = &mut Random::new(2);
    let segment = encode(&random_events(random, 60, 0, 86_400_000));
    for (index, (number, bytes)) in segment.columns.iter().enumerate() {
        for length in 0..bytes.len() {
            let mut damaged = segment.columns.clone();
            damaged[index].1.truncate(length);
            assert_eq!(decode(&damaged), Err(Damaged), "column {number} cut to {length} bytes");
            assert_eq!(merge(&[damaged]).err(), Some(Damaged));
        }
    }
}

#[test]
fn damaged_segments_in_one_piece_do_not_panic() {
    let random = &mut Random::new(3);
    let bytes = encode(&random_events(random, 30, 0, 86_400_000)).to_bytes();
    for length in 0..bytes.len() {
        let cut = Encoded::columns_from_bytes(&bytes[..length]);
        assert!(cut.is_err(), "cut to {length} bytes");
    }
    let mut found = 0;
    for _ in 0..2_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            damaged[at] = random.next() as u8;
        }
        let events = Encoded::columns_from_bytes(&damaged).and_then(|columns| {
            let _ = answer(&columns);
            decode(&columns)
        });
        found += usize::from(events.is_err());
    }
    assert!(found > 1_800, "only {found} of 2,000 were found");
}

#[test]
fn columns_of_another_version_are_refused() {
    let random = &mut Random::new(7);
    let segment = encode(&random_events(random, 5_000, 0, 86_400_000));
    for index in 0..segment.columns.len() {
        let mut newer = segment.columns.clone();
        let (number, bytes) = &mut newer[index];
        let is_rollup = (5..=7).contains(number);
        assert_eq!(bytes[0], 1, "column {number}");
        bytes[0] = 2;
        // Rollups are not decoded: they are made anew.
        assert_eq!(decode(&newer).is_err(), !is_rollup, "column {}", newer[index].0);
    }
    let mut whole = segment.to_bytes();
    assert!(Encoded::columns_from_bytes(&whole).is_ok());
    whole[0] = 2;
    assert_eq!(Encoded::columns_from_bytes(&whole), Err(Damaged));
    assert!(Damaged.to_string().contains("another version"));
}

#[test]
fn columns_of_different_segments_are_found() {
    let random = &mut Random::new(4);
    let mut segment = encode(&random_events(random, 50, 0, 86_400_000));
    let other = encode(&random_events(random, 51, 0, 86_400_000));
    segment.columns[1] = other.columns[1].clone();
    assert_eq!(answer(&segment.columns), Err(AddError::Damaged));
    segment.columns.remove(1);
    assert_eq!(answer(&segment.columns), Err(AddError::Damaged));
    assert_eq!(decode(&Vec::<(u8, Vec<u8>)>::new()), Err(Damaged));
}

#[test]
fn random_bytes_do_not_panic() {
    let random = &mut Random::new(5);
    for _ in 0..5_000 {
        let length = random.below(80);
        let bytes: Vec<u8> = (0..length)
            .map(|_| random.next() as u8 & if random.one_in(2) { 0x0f } else { 0xff })
            .collect();
        let _ = Encoded::columns_from_bytes(&bytes);
        let columns: Vec<(u8, Vec<u8>)> = [1, 2, 3, 10, 33].map(|number| (number, bytes.clone())).into();
        let _ = decode(&columns);
        let _ = answer(&columns);
    }
}
