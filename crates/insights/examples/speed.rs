//! Size and speed of segments and queries: 10 million events in 30 days.
//!
//! `cargo run --release -p insights --example speed [EVENTS [DAYS [PART OF A QUERY'S NAME]]]`

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "an example")]

use std::time::{Duration, Instant};

use insights::testing::Random;
use insights::{
    Column, Dimension, Encoded, Evaluation, Event, Field, Filter, Interval, Metric, Operator, Order, Query, Value,
    Zone, encode, merge,
};

const DAY: i64 = 86_400_000;
const MAX_BYTES: usize = 256 << 20;

const PAGES: u64 = 5_000;
const SEARCHES: u64 = 50_000;
const VISITORS: u64 = 2_000_000;

fn main() {
    let argument = |index, default: u64| {
        std::env::args()
            .nth(index)
            .map_or(default, |text| text.parse().unwrap())
    };
    let (events, days) = (argument(1, 10_000_000), argument(2, 30));
    let random = &mut Random::new(42);
    let (mut segments, mut encoding) = (Vec::new(), Duration::ZERO);
    for day in 0..days {
        let of_day = day_events(random, day as i64 * DAY, (events / days) as usize);
        let start = cpu_time();
        segments.push(encode(&of_day));
        encoding += cpu_time() - start;
        if day == 0 {
            measure_batches(&of_day);
        }
    }
    let count: u64 = segments.iter().map(|segment| u64::from(segment.events)).sum();
    println!(
        "{count} events encoded, {:.0} events/s on one core",
        count as f64 / encoding.as_secs_f64()
    );
    sizes(&segments, count);
    queries(&segments);
}

/// Encodes a day in batches of 100, and merges them.
fn measure_batches(events: &[Event]) {
    let start = cpu_time();
    let batches: Vec<Encoded> = events.chunks(100).map(encode).collect();
    let encoding = cpu_time() - start;
    let stored: usize = batches.iter().map(|batch| batch.to_bytes().len()).sum();
    let rate = |time: Duration| events.len() as f64 / time.as_secs_f64();
    println!(
        "batches of 100: {:.0} events/s encoded, {:.1} bytes per event",
        rate(encoding),
        stored as f64 / events.len() as f64
    );
    let columns: Vec<_> = batches.into_iter().map(|batch| batch.columns).collect();
    let start = Instant::now();
    let merged = merge(&columns).unwrap();
    println!(
        "{} batches merged: {:.0} events/s",
        columns.len(),
        rate(start.elapsed())
    );
    let start = Instant::now();
    merge(&[merged.columns.clone(), merged.columns]).unwrap();
    println!("two days merged: {:.0} events/s", 2.0 * rate(start.elapsed()));
}

fn sizes(segments: &[Encoded], events: u64) {
    let mut by_column = [0usize; 256];
    for (number, bytes) in segments.iter().flat_map(|segment| &segment.columns) {
        by_column[usize::from(*number)] += bytes.len();
    }
    let total: usize = by_column.iter().sum();
    println!("{:.2} bytes per event", total as f64 / events as f64);
    for (number, bytes) in by_column.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
        let name = Field::from_number(number as u8).map_or_else(|| format!("{number}"), |field| format!("{field:?}"));
        println!("  {name:<22} {:>6.3}", *bytes as f64 / events as f64);
    }
}

fn day_events(random: &mut Random, start: i64, count: usize) -> Vec<Event> {
    let mut events = Vec::with_capacity(count);
    while events.len() < count {
        let visitor = random.zipf(VISITORS);
        let session = random.next();
        let mut time = start + random.below(DAY as u64 - 3_600_000) as i64;
        let constant = visitor_values(random, visitor);
        while events.len() < count && time < start + DAY {
            let mut values = constant.clone();
            event_values(random, &mut values);
            values.sort_by_key(|(field, _)| *field);
            events.push(Event {
                time,
                visitor: Random::new(visitor).next(),
                session,
                values: values.into_iter().map(|(field, text)| (field, text.into())).collect(),
            });
            time += 500 + (-random.fraction().ln() * 25_000.0) as i64;
            if random.one_in(6) {
                break;
            }
        }
    }
    events.sort_by_key(|event| event.time);
    events
}

/// What is the same in all events of a session, mostly of a visitor.
fn visitor_values(random: &mut Random, visitor: u64) -> Vec<(Field, String)> {
    let of_visitor = &mut Random::new(visitor ^ 0xabcd);
    let mut values = vec![
        (Field::DisplayContext, "site".to_owned()),
        (Field::Country, format!("C{}", of_visitor.zipf(120))),
        (
            Field::Point,
            format!(
                "{:.2},{:.2}",
                of_visitor.zipf(3000) as f64 / 50.0,
                of_visitor.zipf(100) as f64 / 2.0
            ),
        ),
        (
            Field::Device,
            (*of_visitor.pick(&["desktop", "mobile", "tablet"])).to_owned(),
        ),
        (
            Field::Browser,
            (*of_visitor.pick(&["chrome", "chrome", "safari", "firefox", "edge"])).to_owned(),
        ),
        (
            Field::Os,
            (*of_visitor.pick(&["windows", "macos", "linux", "android", "ios"])).to_owned(),
        ),
        (
            Field::Language,
            (*of_visitor.pick(&["en-US", "en-GB", "de-DE", "fr-FR", "ja-JP"])).to_owned(),
        ),
        (Field::SiteSpace, format!("sitesp_{}", of_visitor.zipf(4))),
    ];
    if of_visitor.one_in(5) {
        let (plan, account) = (*of_visitor.pick(&["free", "pro", "enterprise"]), of_visitor.zipf(400));
        values.push((
            Field::Claims,
            format!(r#"{{"account":{{"id":{account}}},"beta":true,"plan":"{plan}"}}"#),
        ));
    }
    if random.one_in(2) {
        let domain = format!("site-{}.example", random.zipf(500));
        values.push((Field::Referrer, format!("https://{domain}/{}", random.zipf(2_000))));
        values.push((Field::ReferrerDomain, domain));
    }
    if random.one_in(10) {
        values.push((Field::UtmSource, format!("source-{}", random.zipf(30))));
        values.push((Field::UtmCampaign, format!("campaign-{}", random.zipf(100))));
    }
    values
}

fn event_values(random: &mut Random, values: &mut Vec<(Field, String)>) {
    let page = random.zipf(PAGES);
    values.push((
        Field::Url,
        format!("https://docs.example.com/guides/section-{}/page-{page}", page % 40),
    ));
    values.push((Field::Space, format!("sp_{}", page % 8)));
    values.push((Field::Page, format!("pg_{:016x}", Random::new(page).next())));
    values.push((
        Field::Revision,
        format!("rev_{:016x}", Random::new(page % 8 + 77).next()),
    ));
    let kind = match random.below(100) {
        0..=74 => "page_view",
        75..=87 => {
            values.push((Field::SearchQuery, format!("how to do thing {}", random.zipf(SEARCHES))));
            "search_type_query"
        }
        88..=93 => {
            values.push((
                Field::LinkTarget,
                format!(r#"{{"kind":"url","url":"https://example.org/{}"}}"#, random.zipf(900)),
            ));
            values.push((Field::LinkKind, "url".to_owned()));
            values.push((Field::LinkDomain, "example.org".to_owned()));
            values.push((
                Field::LinkPosition,
                (*random.pick(&["header", "content", "footer"])).to_owned(),
            ));
            "link_click"
        }
        94..=96 => {
            values.push((
                Field::PageFeedbackRating,
                (*random.pick(&["ok", "good", "bad"])).to_owned(),
            ));
            "page_post_feedback"
        }
        _ => {
            values.push((Field::SearchQuery, format!("why does {} fail", random.zipf(SEARCHES))));
            values.push((Field::AskRating, (*random.pick(&["1", "-1"])).to_owned()));
            "ask_rate_response"
        }
    };
    values.push((Field::Type, kind.to_owned()));
}

fn query(group_by: Vec<Dimension>, metrics: &[Metric]) -> Query {
    let select = group_by
        .iter()
        .cloned()
        .map(Column::Dimension)
        .chain(metrics.iter().copied().map(Column::Metric));
    Query {
        from: 0,
        to: 30 * DAY,
        zone: Zone::parse("Europe/Berlin").unwrap(),
        select: select.collect(),
        filters: Vec::new(),
        order: metrics.first().map(|metric| Order {
            by: Column::Metric(*metric),
            is_descending: true,
        }),
        group_by,
        limit: 1000,
    }
}

fn of_type(kind: &str) -> Filter {
    let column = Column::Dimension(Dimension::Field(Field::Type));
    Filter {
        column,
        operator: Operator::In,
        values: vec![Value::Text(kind.into())],
    }
}

/// Time that this thread has run: other work of the machine does not count. Linux only; elsewhere always 0.
fn cpu_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(
        statistics
            .split(' ')
            .next()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0),
    )
}

/// Adds a segment from the column that answers the query, or from all.
fn add(evaluation: &mut Evaluation, query: &Query, segment: &Encoded) {
    let added = match query.rollup_of(segment.events, segment.first, segment.last) {
        Some(rollup) => {
            let columns = segment.columns.iter().filter(|(number, _)| *number == rollup);
            evaluation.add(&columns.map(|(number, bytes)| (*number, bytes)).collect::<Vec<_>>())
        }
        None => evaluation.add(&segment.columns),
    };
    added.unwrap();
}

/// Runs a query on this thread. Returns the time that it took.
fn run_here(query: &Query, segments: &[Encoded]) -> Duration {
    let start = cpu_time();
    let mut evaluation = Evaluation::new(query.clone(), MAX_BYTES);
    for segment in segments {
        add(&mut evaluation, query, segment);
    }
    evaluation.finish();
    cpu_time() - start
}

/// Runs a query on some threads. Returns the time and the number of rows.
fn run(query: &Query, segments: &[Encoded], threads: usize) -> (Duration, usize) {
    let start = Instant::now();
    let evaluations: Vec<Evaluation> = std::thread::scope(|scope| {
        let parts = (0..threads).map(|thread| {
            scope.spawn(move || {
                let mut evaluation = Evaluation::new(query.clone(), MAX_BYTES);
                for segment in segments.iter().skip(thread).step_by(threads) {
                    add(&mut evaluation, query, segment);
                }
                evaluation
            })
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let merged = evaluations.into_iter().reduce(|mut merged, other| {
        merged.merge(other).unwrap();
        merged
    });
    let rows = merged.unwrap().finish().len();
    (start.elapsed(), rows)
}

fn queries(segments: &[Encoded]) {
    let by = |interval| {
        vec![Dimension::Time {
            interval: Some(interval),
        }]
    };
    let all = [Metric::Events, Metric::Sessions, Metric::Visitors];
    let filtered = |kind: &str, query: Query| Query {
        filters: vec![of_type(kind)],
        ..query
    };
    let search = || vec![Dimension::Field(Field::SearchQuery)];
    let mut queries = vec![
        (
            "* views by day".to_owned(),
            filtered("page_view", query(by(Interval::Day), &[Metric::Events])),
        ),
        (
            "* top pages".to_owned(),
            filtered("page_view", query(vec![Dimension::Page], &[Metric::Events])),
        ),
        (
            "* top searches".to_owned(),
            filtered("search_type_query", query(search(), &[Metric::Events])),
        ),
        (
            "views, sessions, visitors by day".to_owned(),
            filtered("page_view", query(by(Interval::Day), &all)),
        ),
        ("totals".to_owned(), query(Vec::new(), &all)),
        (
            "visitors by page and day".to_owned(),
            query([vec![Dimension::Page], by(Interval::Day)].concat(), &all),
        ),
    ];
    for interval in [Interval::Hour, Interval::Day, Interval::Week, Interval::Month] {
        queries.push((format!("{interval:?}"), query(by(interval), &all)));
    }
    for metric in [
        Metric::Events,
        Metric::Sessions,
        Metric::Visitors,
        Metric::PageFeedback,
        Metric::AskRatings,
    ] {
        queries.push((
            format!("{metric:?}"),
            Query {
                order: None,
                ..query(Vec::new(), &[metric])
            },
        ));
    }
    let mut dimensions: Vec<Dimension> = Field::ALL.into_iter().map(Dimension::Field).collect();
    dimensions.extend([
        Dimension::Page,
        Dimension::Point { precision: 5 },
        Dimension::ClaimProperty,
        Dimension::Claim("account.id".to_owned()),
    ]);
    queries.extend(
        dimensions
            .into_iter()
            .map(|of| (format!("{of:?}"), query(vec![of], &all))),
    );
    println!("{:<40} {:>8} {:>12} {:>12}", "query", "rows", "CPU time", "two threads");
    let part = std::env::args().nth(3).unwrap_or_default();
    for (name, query) in queries.into_iter().filter(|(name, _)| name.contains(&part)) {
        query.check().unwrap();
        // The shortest of three: other work of the machine does not count.
        let one = (0..3).map(|_| run_here(&query, segments)).min().unwrap_or_default();
        let (two, rows) = (0..3).map(|_| run(&query, segments, 2)).min().unwrap_or_default();
        println!(
            "{name:<40} {rows:>8} {:>9} ms {:>9} ms",
            one.as_millis(),
            two.as_millis()
        );
    }
}
