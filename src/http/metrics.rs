//! Metrics for Prometheus.

use std::{fmt, time::Duration};

use entity::timestamp::Timestamp;
use platform::db::Db;
use poem::http::{Method, StatusCode};
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, text::encode},
    metrics::{
        MetricType,
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::Gauge,
        histogram::Histogram,
        info::Info,
    },
    registry::Registry,
};

use crate::areas::identity::system;

/// Upper bounds in seconds, from a response out of memory to the time limit.
const BUCKETS: [f64; 13] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0,
];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    operation: &'static str,
    method: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Operation {
    operation: &'static str,
}

pub struct Metrics {
    registry: Registry,
    answered: Family<Answered, Counter>,
    duration: Family<Operation, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    git_syncs_failing: Gauge,
    last_backup: Gauge,
}

impl Metrics {
    pub fn new(db: Db) -> Self {
        let mut registry = Registry::with_prefix("bindery");
        let metrics = Self {
            answered: Family::default(),
            duration: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            in_flight: Gauge::default(),
            git_syncs_failing: Gauge::default(),
            last_backup: Gauge::default(),
            registry: Registry::default(),
        };
        let build = [("version", system::VERSION), ("commit", system::BUILD)];
        registry.register("build", "Version and commit of the server", Info::new(build.to_vec()));
        registry.register("http_requests", "Completed requests", metrics.answered.clone());
        let help = "Seconds from the head of a request to the head of its response";
        registry.register("http_request_duration_seconds", help, metrics.duration.clone());
        registry.register(
            "http_requests_in_flight",
            "Requests in flight",
            metrics.in_flight.clone(),
        );
        registry.register(
            "git_syncs_failing",
            "Spaces that do not follow their Git branch at present",
            metrics.git_syncs_failing.clone(),
        );
        registry.register(
            "last_backup_timestamp_seconds",
            "When the last completed backup began, in seconds since 1970; 0 if there is none",
            metrics.last_backup.clone(),
        );
        registry.register_collector(Box::new(Statements(db)));
        Self { registry, ..metrics }
    }

    /// Counts a request as in flight until the result is dropped.
    pub fn enter(&self) -> InFlight<'_> {
        self.in_flight.inc();
        InFlight(&self.in_flight)
    }

    pub fn answered(&self, operation: &'static str, method: &Method, status: StatusCode, duration: Duration) {
        let labels = Answered {
            operation,
            method: name(method),
            status: status.as_u16(),
        };
        self.answered.get_or_create(&labels).inc();
        self.duration
            .get_or_create(&Operation { operation })
            .observe(duration.as_secs_f64());
    }

    pub fn set_git_syncs_failing(&self, count: u64) {
        self.git_syncs_failing.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    pub fn set_last_backup(&self, time: Option<Timestamp>) {
        self.last_backup.set(time.map_or(0, |time| time.as_millis() / 1000));
    }

    /// The text that Prometheus reads.
    pub fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

pub struct InFlight<'a>(&'a Gauge);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Returns the label of a method. Clients may invent methods, and labels must be a small fixed set.
fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// The statement counter of the database.
struct Statements(Db);

impl fmt::Debug for Statements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Statements")
    }
}

impl Collector for Statements {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let count = ConstCounter::new(self.0.statements());
        let help = "Executed SQL statements";
        count.encode(encoder.encode_descriptor("db_statements", help, None, MetricType::Counter)?)
    }
}
