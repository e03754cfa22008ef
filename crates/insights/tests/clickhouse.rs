//! Random queries on ClickHouse give what a plain reading of the events gives.
//!
//! `BINDERY_TEST_CLICKHOUSE` is the address of tests/insights/clickhouse.py, such as 127.0.0.1:8123. tests/insights/run starts it and
//! runs these tests.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::env;
use std::io::{Read, Write};
use std::net::TcpStream;

use insights::clickhouse::{
    self, Row, Statement, create, delete_before, delete_site, delete_visitors, insert, read_events, select,
};
use insights::testing::{Random, evaluate, random_events, random_query};
use insights::{Column, Event, Metric, Query, Value, Zone};

const DAY: i64 = 86_400_000;
const BOUNDARY: &str = "a-boundary-that-is-in-no-value";

/// The ends of summer time in Europe and on Lord Howe, its beginning in North America, the end of a year, and a day that Samoa
/// left out.
const STARTS: [i64; 5] = [
    1_761_264_000_000,
    1_759_449_600_000,
    1_741_305_600_000,
    1_735_257_600_000,
    1_325_030_400_000,
];

struct Server {
    address: String,
}

impl Server {
    /// The server with a database of this name.
    fn new(database: &str) -> Self {
        let address = env::var("BINDERY_TEST_CLICKHOUSE").unwrap();
        let server = Self { address };
        let text = format!("CREATE DATABASE {database}");
        server.send("/", text.as_bytes(), "text/plain").unwrap();
        server
    }

    fn run(&self, database: &str, statement: &Statement) -> Result<Vec<u8>, String> {
        let members = statement
            .parameters
            .iter()
            .map(|(name, value)| (format!("param_{name}"), value.as_str()));
        let mut form = String::new();
        for (name, value) in members.chain([("query".to_owned(), statement.text.as_str())]) {
            form += &format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        }
        form += &format!("--{BOUNDARY}--\r\n");
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        self.send(&format!("/?database={database}"), form.as_bytes(), &kind)
    }

    fn insert(&self, database: &str, token: u128, rows: &[(&str, &Event)]) {
        let rows = rows.iter().map(|(site, event)| Row { site, event });
        let (Statement { text, .. }, body) = insert(token, rows);
        let body = [text.as_bytes(), b"\n", &body].concat();
        self.send(&format!("/?database={database}"), &body, "text/plain")
            .unwrap();
    }

    fn send(&self, path: &str, body: &[u8], kind: &str) -> Result<Vec<u8>, String> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
             X-ClickHouse-User: insights\r\nX-ClickHouse-Key: secret\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let content = answer.split_off(end + 4);
        match answer.starts_with(b"HTTP/1.1 200 ") {
            true => Ok(content),
            false => Err(String::from_utf8_lossy(&content).into_owned()),
        }
    }

    fn answer(&self, database: &str, query: &Query, site: &str) -> Vec<Vec<Value>> {
        let statement = select(query, site);
        let answer = self
            .run(database, &statement)
            .unwrap_or_else(|error| panic!("{error}\n{statement:#?}"));
        clickhouse::read(query, &answer).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&answer)))
    }
}

fn count(metric: Metric) -> Query {
    Query {
        from: 0,
        to: 4 * 365 * DAY,
        zone: Zone::UTC,
        select: vec![Column::Metric(metric)],
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

#[test]
#[ignore = "needs a ClickHouse server"]
fn queries_give_what_the_events_give() {
    let server = Server::new("random");
    server.run("random", &create()).unwrap();
    let mut rows = 0;
    for seed in 0..75 {
        let random = &mut Random::new(seed);
        let start = *random.pick(&STARTS);
        let count = 1 + random.zipf(600) as usize;
        let days = *random.pick(&[1, 5, 5, 40]);
        let (events, others) = (
            random_events(random, count, start, start + days * DAY),
            random_events(random, 20, start, start + DAY),
        );
        // Of several sites in one insert, the events of one are asked for.
        let site = format!("site {seed}");
        let ours = events.iter().map(|event| (site.as_str(), event));
        let both: Vec<_> = ours.chain(others.iter().map(|event| ("another", event))).collect();
        server.insert("random", u128::from(seed), &both);
        for _ in 0..4 {
            let query = random_query(random, &events);
            let expected = evaluate(&query, &events);
            assert_eq!(
                server.answer("random", &query, &site),
                expected,
                "seed {seed}: {query:#?}\n{:#?}",
                select(&query, &site)
            );
            rows += expected.len();
        }
    }
    assert!(rows > 1000, "the queries find only {rows} rows");
}

#[test]
#[ignore = "needs a ClickHouse server"]
fn an_insert_that_is_sent_again_counts_once() {
    let server = Server::new("once");
    let database = "once";
    server.run(database, &create()).unwrap();
    // In two partitions.
    let events = [visit(1, 5 * DAY), visit(2, 5 * DAY), visit(3, 50 * DAY)];
    let rows: Vec<_> = events.iter().map(|event| ("site", event)).collect();
    for token in [7, 7, 8, 7, 8] {
        server.insert(database, token, &rows);
    }
    assert_eq!(
        server.answer(database, &count(Metric::Events), "site"),
        [[Value::Number(6.0)]]
    );
    assert_eq!(
        server.answer(database, &count(Metric::Visitors), "site"),
        [[Value::Number(3.0)]]
    );
}

#[test]
#[ignore = "needs a ClickHouse server"]
fn events_are_read_and_deleted() {
    let server = Server::new("deleted");
    let database = "deleted";
    server.run(database, &create()).unwrap();
    let random = &mut Random::new(1);
    let mut events = random_events(random, 200, 20 * DAY, 60 * DAY);
    events.sort_by_key(|event| (event.time, event.visitor, event.session));
    events.dedup_by_key(|event| (event.time, event.visitor, event.session));
    let rows: Vec<_> = events
        .iter()
        .flat_map(|event| [("one", event), ("two", event)])
        .collect();
    server.insert(database, 1, &rows);
    let read = |site: &str, skip, limit| {
        let statement = clickhouse::select_events(site, 0, 100 * DAY, skip, limit);
        read_events(&server.run(database, &statement).unwrap()).unwrap()
    };
    assert_eq!(read("one", 0, 1000), events);
    assert_eq!(read("one", 150, 20), events[150..170]);

    let visitor = events[7].visitor;
    server.run(database, &delete_visitors("one", &[visitor])).unwrap();
    let of_others: Vec<_> = events
        .iter()
        .filter(|event| event.visitor != visitor)
        .cloned()
        .collect();
    assert_eq!(read("one", 0, 1000), of_others);
    assert_eq!(read("two", 0, 1000), events);

    let time = 40 * DAY;
    server.run(database, &delete_before(time)).unwrap();
    let later: Vec<_> = events.iter().filter(|event| event.time >= time).cloned().collect();
    assert_eq!(read("two", 0, 1000), later);

    server.run(database, &delete_site("two")).unwrap();
    assert_eq!(read("two", 0, 1000), []);
    assert!(!read("one", 0, 1000).is_empty());
}

#[test]
#[ignore = "needs a ClickHouse server"]
fn distinct_visitors_are_exact_to_a_hundred_thousand_and_then_within_two_percent() {
    let server = Server::new("distinct");
    let database = "distinct";
    server.run(database, &create()).unwrap();
    for (site, visitors, most) in [("exact", 100_000_u64, 0.0), ("estimated", 300_000, 0.02)] {
        // Hashes that are not random.
        let events: Vec<_> = (0..visitors)
            .map(|number| visit(number << 20, 1000 + number as i64))
            .collect();
        let rows: Vec<_> = events.iter().map(|event| (site, event)).collect();
        server.insert(database, u128::from(visitors), &rows);
        let [row] = server
            .answer(database, &count(Metric::Visitors), site)
            .try_into()
            .unwrap();
        let [Value::Number(found)] = row.as_slice() else {
            panic!("{row:?}")
        };
        let error = (found / visitors as f64 - 1.0).abs();
        assert!(error <= most, "{visitors} visitors, {found} counted");
    }
}
