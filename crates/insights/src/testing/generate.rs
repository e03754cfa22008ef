//! Random events and queries.

use h3o::{LatLng, Resolution};

use super::Random;
use crate::event::{Event, Field};
use crate::query::{Column, Dimension, Filter, Metric, Operator, Order, Query, Value};
use crate::zone::{Interval, Zone};

const TYPES: [&str; 7] = [
    "page_view",
    "page_view",
    "search_type_query",
    "page_post_feedback",
    "page_post_feedback_comment",
    "ask_rate_response",
    "link_click",
];

const ZONES: [&str; 8] = [
    "UTC",
    "Europe/Berlin",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/New_York",
    "Pacific/Apia",
    "America/Sao_Paulo",
];

/// Texts that engines may trip over.
const TEXTS: [&str; 12] = [
    "",
    "a",
    "b",
    "B",
    "ab",
    "ä",
    "日本語",
    "it's",
    "100%_\\",
    "\"quoted\"",
    "line\nbreak\tand tab",
    "🦀 {braces: [1]}",
];

const CLAIMS: [&str; 9] = [
    r#"{}"#,
    r#"{"plan":"pro"}"#,
    r#"{"beta":true,"plan":"free"}"#,
    r#"{"beta":null,"seats":12}"#,
    r#"{"account":{"plan":"pro","region":{"code":"eu"}}}"#,
    r#"{"account":{"region":"us"},"plan":"pro"}"#,
    r#"{"account.plan":"by name","account":{"plan":"by path"}}"#,
    r#"{"https://example.com/role":["admin","editor"],"plan":""}"#,
    r#"{"account":{"region":{"code":1.5}},"it's":"\"q\""}"#,
];

const CLAIM_PATHS: [&str; 11] = [
    "plan",
    "beta",
    "seats",
    "account",
    "account.plan",
    "account.region",
    "account.region.code",
    "https://example.com/role",
    "it's",
    "plan.none",
    "none",
];

const POINTS: [&str; 6] = [
    "52.52,13.405",
    "52.5201,13.4049",
    "47.56,-52.71",
    "-31.55,159.08",
    "27.7,85.3",
    "no point",
];

/// Events with times in `from..to`.
pub fn random_events(random: &mut Random, count: usize, from: i64, to: i64) -> Vec<Event> {
    let visitors = 1 + count as u64 / 6;
    let event = |_| {
        let visitor = 1 + random.zipf(visitors);
        let time = from + random.below((to - from) as u64) as i64;
        Event {
            // Times that come twice, and the first and last moments of hours.
            time: if random.one_in(4) {
                (time - time.rem_euclid(3_600_000)).max(from)
            } else {
                time
            },
            visitor: visitor.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            session: (visitor * 10 + random.below(3)).wrapping_mul(0xd6e8_feb8_6659_fd93),
            values: Field::ALL
                .into_iter()
                .filter_map(|field| Some((field, random_value(random, field)?.into())))
                .collect(),
        }
    };
    (0..count).map(event).collect()
}

fn random_value(random: &mut Random, field: Field) -> Option<String> {
    let text = match field {
        Field::Type => random.pick(&TYPES).to_string(),
        _ if random.one_in(3) => return None,
        Field::Url => format!("https://docs.example.com/{}?q={}", random.zipf(40), random.pick(&TEXTS)),
        Field::Space | Field::SiteSpace | Field::SiteSection => format!("space-{}", random.zipf(3)),
        Field::Page => format!("page-{}", random.zipf(12)),
        Field::Country => random.pick(&["DE", "CA", "AU", "NP"]).to_string(),
        Field::Point => random.pick(&POINTS).to_string(),
        Field::PageFeedbackRating => random.pick(&["ok", "good", "bad"]).to_string(),
        Field::AskRating => random.pick(&["1", "-1"]).to_string(),
        Field::Claims => random.pick(&CLAIMS).to_string(),
        Field::LinkTarget => format!(r#"{{"kind":"page","page":"page-{}"}}"#, random.zipf(5)),
        Field::SearchQuery => format!("{}{}", random.pick(&TEXTS), random.zipf(30)),
        _ => random.pick(&TEXTS).to_string(),
    };
    Some(text)
}

/// A query that is right. Its values are mostly those of the events, so that filters find something.
pub fn random_query(random: &mut Random, events: &[Event]) -> Query {
    let (from, to) = random_range(random, events);
    let zone = Zone::parse(random.pick::<&str>(&ZONES)).unwrap_or(Zone::UTC);
    let dimensions: Vec<Dimension> = (0..random.below(4)).map(|_| random_dimension(random)).collect();
    // Without groups the dimensions are selected; with them some of them may be.
    let is_grouped = random.one_in(2);
    let mut select: Vec<Column> = match is_grouped {
        true => dimensions
            .iter()
            .filter(|_| random.one_in(2))
            .cloned()
            .map(Column::Dimension)
            .collect(),
        false => dimensions.iter().cloned().map(Column::Dimension).collect(),
    };
    for _ in 0..random.below(4) {
        select.insert(
            random.below(select.len() as u64 + 1) as usize,
            Column::Metric(random_metric(random)),
        );
    }
    let groups: Vec<Dimension> = if is_grouped || !select.is_empty() {
        dimensions
    } else {
        Vec::new()
    };
    let order = (!random.one_in(3)).then(|| Order {
        by: match groups.is_empty() || random.one_in(2) {
            true => Column::Metric(*random.pick(&[Metric::Events, Metric::Sessions, Metric::Visitors])),
            false => Column::Dimension(random.pick(&groups).clone()),
        },
        is_descending: random.one_in(2),
    });
    Query {
        from,
        to,
        zone,
        select,
        filters: (0..random.below(4)).map(|_| random_filter(random, events)).collect(),
        group_by: if is_grouped { groups } else { Vec::new() },
        order,
        limit: 1 + random.zipf(1000) as usize,
    }
}

fn random_range(random: &mut Random, events: &[Event]) -> (i64, i64) {
    let first = events.iter().map(|event| event.time).min().unwrap_or(0);
    let last = events.iter().map(|event| event.time).max().unwrap_or(0);
    if random.one_in(3) {
        return (first, last + 1);
    }
    let room = (last - first) as u64 + 86_400_000;
    let from = first - 43_200_000 + random.below(room) as i64;
    (from, from + random.below(room) as i64)
}

fn random_interval(random: &mut Random) -> Interval {
    *random.pick(&[Interval::Hour, Interval::Day, Interval::Week, Interval::Month])
}

fn random_dimension(random: &mut Random) -> Dimension {
    match random.below(12) {
        0 => Dimension::Time { interval: None },
        1..=3 => Dimension::Time {
            interval: Some(random_interval(random)),
        },
        4 => Dimension::Page,
        5 => Dimension::Point {
            precision: random.below(16) as u8,
        },
        6 => Dimension::ClaimProperty,
        7 => Dimension::Claim(random.pick(&CLAIM_PATHS).to_string()),
        _ => Dimension::Field(*random.pick(&Field::ALL)),
    }
}

fn random_metric(random: &mut Random) -> Metric {
    *random.pick(&[
        Metric::Events,
        Metric::Sessions,
        Metric::Visitors,
        Metric::PageFeedback,
        Metric::AskRatings,
    ])
}

fn random_filter(random: &mut Random, events: &[Event]) -> Filter {
    let column = match random.one_in(4) {
        true => Column::Metric(random_metric(random)),
        false => Column::Dimension(random_dimension(random)),
    };
    let is_composite = matches!(
        column,
        Column::Dimension(Dimension::Page | Dimension::Point { .. })
            | Column::Metric(Metric::PageFeedback | Metric::AskRatings)
    );
    let operators = [
        Operator::In,
        Operator::NotIn,
        Operator::GreaterThan,
        Operator::GreaterThanOrEqual,
        Operator::LessThan,
        Operator::LessThanOrEqual,
    ];
    let operator = *random.pick(if is_composite { &operators[..2] } else { &operators });
    let count = if operator.is_comparison() { 1 } else { random.below(6) };
    let mut values: Vec<Value> = (0..count)
        .map(|_| random_filter_value(random, &column, events))
        .collect();
    let takes_null = !operator.is_comparison()
        && matches!(&column, Column::Dimension(dimension) if !matches!(dimension, Dimension::Time { .. }));
    if takes_null && random.one_in(3) {
        values.push(Value::Null);
    }
    Filter {
        column,
        operator,
        values,
    }
}

fn random_filter_value(random: &mut Random, column: &Column, events: &[Event]) -> Value {
    let text = |random: &mut Random, field: Field| -> String {
        let value = (0..8).find_map(|_| random.pick(events).get(field));
        value.map_or_else(|| random.pick(&TEXTS).to_string(), ToOwned::to_owned)
    };
    match column {
        Column::Metric(Metric::PageFeedback) => Value::Feedback {
            ok: random.below(2),
            good: random.below(2),
            bad: random.below(2),
        },
        Column::Metric(Metric::AskRatings) => Value::Ratings {
            positive: random.below(2),
            negative: random.below(2),
        },
        Column::Metric(_) => Value::Number(random.zipf(60) as f64),
        Column::Dimension(Dimension::Time { interval: None }) => Value::Time(random.pick(events).time),
        Column::Dimension(Dimension::Time { interval: Some(_) }) => {
            let time = random.pick(events).time;
            Value::Time(time - time.rem_euclid(86_400_000))
        }
        Column::Dimension(Dimension::Page) => Value::Page {
            space: text(random, Field::Space).into(),
            page: (!random.one_in(4)).then(|| text(random, Field::Page).into()),
        },
        Column::Dimension(Dimension::Point { .. }) => {
            let points = [(52.52, 13.405), (47.56, -52.71), (-31.55, 159.08), (27.7, 85.3)];
            let (latitude, longitude) = *random.pick(&points);
            let resolution = Resolution::try_from(random.below(16) as u8).unwrap_or(Resolution::Zero);
            let cell = LatLng::new(latitude, longitude).map(|point| point.to_cell(resolution).to_string());
            Value::Point {
                latitude,
                longitude,
                cell: cell.unwrap_or_default(),
            }
        }
        Column::Dimension(Dimension::ClaimProperty) => {
            Value::Text((*random.pick(&["plan", "beta", "account", "account.plan", "none", "it's"])).into())
        }
        Column::Dimension(Dimension::Claim(_)) => {
            let values = [
                "pro",
                "free",
                "true",
                "12",
                "by name",
                "",
                r#"["admin","editor"]"#,
                r#"{"region":"us"}"#,
            ];
            Value::Text((*random.pick(&values)).into())
        }
        Column::Dimension(Dimension::Field(field)) => Value::Text(text(random, *field).into()),
    }
}
