//! Intervals of local time where clocks change and at the ends of years.

#![expect(clippy::unwrap_used, reason = "tests")]

use insights::{Buckets, Interval, Zone};
use jiff::Timestamp;

fn time(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_millisecond()
}

/// The starts of all intervals in the range, in UTC.
fn starts(zone: &str, interval: Interval, from: &str, to: &str) -> Vec<String> {
    let buckets = Buckets::new(&Zone::parse(zone).unwrap(), interval, time(from), time(to));
    let text = |start: i64| Timestamp::from_millisecond(start).unwrap().to_string();
    buckets.starts().into_iter().map(text).collect()
}

fn start(zone: &str, interval: Interval, at: &str) -> String {
    let buckets = Buckets::new(&Zone::parse(zone).unwrap(), interval, time(at), time(at) + 1);
    Timestamp::from_millisecond(buckets.start(time(at)))
        .unwrap()
        .to_string()
}

#[test]
fn hours_in_berlin() {
    // 02:00 does not exist, 01:00 and 03:00 are neighbours.
    assert_eq!(
        starts(
            "Europe/Berlin",
            Interval::Hour,
            "2025-03-30T00:00:00Z",
            "2025-03-30T02:30:00Z"
        ),
        ["2025-03-30T00:00:00Z", "2025-03-30T01:00:00Z", "2025-03-30T02:00:00Z"],
    );
    // 02:00 comes twice and is two hours.
    assert_eq!(
        starts(
            "Europe/Berlin",
            Interval::Hour,
            "2025-10-26T00:15:00Z",
            "2025-10-26T02:00:00Z"
        ),
        ["2025-10-26T00:00:00Z", "2025-10-26T01:00:00Z"],
    );
}

#[test]
fn days_in_berlin() {
    assert_eq!(
        starts(
            "Europe/Berlin",
            Interval::Day,
            "2025-03-29T12:00:00Z",
            "2025-03-31T00:00:00Z"
        ),
        ["2025-03-28T23:00:00Z", "2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z"],
    );
    assert_eq!(
        starts(
            "Europe/Berlin",
            Interval::Day,
            "2025-10-25T22:00:00Z",
            "2025-10-27T00:00:00Z"
        ),
        ["2025-10-25T22:00:00Z", "2025-10-26T23:00:00Z"],
    );
}

#[test]
fn half_hours_of_lord_howe() {
    // At 02:00 the clock goes back to 01:30: the hour from 01:00 is whole, and a second one has its last half only.
    assert_eq!(
        starts(
            "Australia/Lord_Howe",
            Interval::Hour,
            "2025-04-05T14:00:00Z",
            "2025-04-05T16:00:00Z"
        ),
        ["2025-04-05T14:00:00Z", "2025-04-05T15:00:00Z", "2025-04-05T15:30:00Z"],
    );
    // At 02:00 the clock goes to 02:30: the hour from 02:00 has its last half only.
    assert_eq!(
        starts(
            "Australia/Lord_Howe",
            Interval::Hour,
            "2025-10-04T14:30:00Z",
            "2025-10-04T17:00:00Z"
        ),
        ["2025-10-04T14:30:00Z", "2025-10-04T15:30:00Z", "2025-10-04T16:00:00Z"],
    );
    assert_eq!(
        start("Australia/Lord_Howe", Interval::Day, "2025-04-06T13:00:00Z"),
        "2025-04-05T13:00:00Z"
    );
    assert_eq!(
        start("Australia/Lord_Howe", Interval::Day, "2025-04-06T14:00:00Z"),
        "2025-04-06T13:30:00Z"
    );
}

#[test]
fn saint_johns_and_kathmandu() {
    assert_eq!(
        start("America/St_Johns", Interval::Hour, "2025-03-09T05:29:59.999Z"),
        "2025-03-09T04:30:00Z"
    );
    assert_eq!(
        start("America/St_Johns", Interval::Hour, "2025-03-09T05:30:00Z"),
        "2025-03-09T05:30:00Z"
    );
    assert_eq!(
        starts(
            "America/St_Johns",
            Interval::Hour,
            "2025-11-02T03:30:00Z",
            "2025-11-02T05:30:00Z"
        ),
        ["2025-11-02T03:30:00Z", "2025-11-02T04:30:00Z"],
    );
    assert_eq!(
        starts(
            "America/St_Johns",
            Interval::Day,
            "2025-11-02T02:30:00Z",
            "2025-11-04T00:00:00Z"
        ),
        ["2025-11-02T02:30:00Z", "2025-11-03T03:30:00Z"],
    );
    // Until 2011 the clock went back one minute after midnight: the day before went on.
    assert_eq!(
        start("America/St_Johns", Interval::Day, "2010-11-07T02:30:30Z"),
        "2010-11-07T02:30:00Z"
    );
    assert_eq!(
        start("America/St_Johns", Interval::Day, "2010-11-07T03:00:00Z"),
        "2010-11-06T02:30:00Z"
    );
    assert_eq!(
        start("America/St_Johns", Interval::Day, "2010-11-07T12:00:00Z"),
        "2010-11-07T02:30:00Z"
    );
    assert_eq!(
        start("Asia/Kathmandu", Interval::Hour, "2025-06-01T00:00:00Z"),
        "2025-05-31T23:15:00Z"
    );
    assert_eq!(
        start("Asia/Kathmandu", Interval::Day, "2025-06-01T00:00:00Z"),
        "2025-05-31T18:15:00Z"
    );
}

#[test]
fn a_day_begins_when_midnight_is_left_out() {
    assert_eq!(
        start("America/Sao_Paulo", Interval::Day, "2018-11-04T12:00:00Z"),
        "2018-11-04T03:00:00Z"
    );
    // Samoa went from 29 to 31 December.
    assert_eq!(
        starts(
            "Pacific/Apia",
            Interval::Day,
            "2011-12-29T12:00:00Z",
            "2012-01-01T00:00:00Z"
        ),
        ["2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"],
    );
}

#[test]
fn weeks_and_months_over_the_end_of_a_year() {
    assert_eq!(
        starts(
            "Europe/Berlin",
            Interval::Week,
            "2024-12-28T00:00:00Z",
            "2025-01-06T00:00:00Z"
        ),
        ["2024-12-22T23:00:00Z", "2024-12-29T23:00:00Z", "2025-01-05T23:00:00Z"],
    );
    assert_eq!(
        starts(
            "America/St_Johns",
            Interval::Month,
            "2024-12-31T00:00:00Z",
            "2025-03-10T00:00:00Z"
        ),
        [
            "2024-12-01T03:30:00Z",
            "2025-01-01T03:30:00Z",
            "2025-02-01T03:30:00Z",
            "2025-03-01T03:30:00Z"
        ],
    );
    assert_eq!(
        start("UTC", Interval::Month, "2024-02-29T23:59:59Z"),
        "2024-02-01T00:00:00Z"
    );
    assert_eq!(
        start("UTC", Interval::Month, "1969-12-31T23:59:59Z"),
        "1969-12-01T00:00:00Z"
    );
    assert_eq!(
        start("UTC", Interval::Week, "1970-01-01T00:00:00Z"),
        "1969-12-29T00:00:00Z"
    );
}

#[test]
fn months_of_four_hundred_years() {
    let months = starts("UTC", Interval::Month, "1800-01-01T00:00:00Z", "2200-01-01T00:00:00Z");
    let expected = (1800..2200).flat_map(|year| (1..=12).map(move |month| format!("{year}-{month:02}-01T00:00:00Z")));
    assert!(months.iter().cloned().eq(expected));
}

#[test]
fn names_of_zones() {
    assert_eq!(Zone::parse("Europe/Berlin").unwrap().name(), "Europe/Berlin");
    assert_eq!(Zone::UTC.name(), "UTC");
    for name in ["", "Europe/Nowhere", "+02:00", "Etc/Unknown", "../etc/passwd"] {
        assert_eq!(Zone::parse(name), None, "{name}");
    }
}
