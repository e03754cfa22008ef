//! Lines of the log as JSON, with the request that they belong to. Each request has a line, so a line is made in one buffer: the
//! subscriber's own format goes through several layers for each part of it.

use std::{
    cell::{Cell, RefCell},
    fmt::{self, Write as _},
    io::Write as _,
    str,
};

use chrono::{DateTime, Utc};
use platform::request_context::RequestContext;
use serde::Serialize;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    field::RecordFields,
    fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields, format::Writer},
    registry::LookupSpan,
};

thread_local! {
    /// The buffer of the thread's lines.
    static LINE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };

    /// The last second in which the thread wrote a line, and its text.
    static SECOND: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
}

/// Fields as members of an object, without its braces.
pub struct JsonFields;

impl<'w> FormatFields<'w> for JsonFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut line = Vec::new();
        fields.record(&mut Members {
            line: &mut line,
            is_first: true,
        });
        writer.write_str(text_of(&line)?)
    }

    fn add_fields(&self, current: &'w mut FormattedFields<Self>, fields: &tracing::span::Record<'_>) -> fmt::Result {
        if !current.fields.is_empty() && !fields.is_empty() {
            current.fields.push(',');
        }
        self.format_fields(current.as_writer(), fields)
    }
}

/// One object a line.
pub struct JsonLines;

impl<S> FormatEvent<S, JsonFields> for JsonLines
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        // Empty if a value of this event is logging itself.
        let mut line = LINE.take();
        line.clear();
        write_line(&mut line, context, event);
        let result = text_of(&line).and_then(|line| writer.write_str(line));
        LINE.set(line);
        result
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the log shows the system time, also in tests that set the clock"
)]
fn write_line<S>(line: &mut Vec<u8>, context: &FmtContext<'_, S, JsonFields>, event: &Event<'_>)
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    let metadata = event.metadata();
    line.extend(br#"{"timestamp":""#);
    write_time(line, Utc::now());
    line.extend(br#"","level":""#);
    line.extend(metadata.level().as_str().as_bytes());
    line.push(b'"');
    event.record(&mut Members { line, is_first: false });
    RequestContext::with_current(|request| write_request(line, request));
    line.extend(br#","target":"#);
    write_value(line, metadata.target());
    let mut separator: &[u8] = br#","spans":["#;
    for span in context.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
        line.extend(separator);
        separator = b",";
        line.push(b'{');
        let extensions = span.extensions();
        if let Some(fields) = extensions.get::<FormattedFields<JsonFields>>()
            && !fields.is_empty()
        {
            line.extend(fields.fields.as_bytes());
            line.push(b',');
        }
        line.extend(br#""name":"#);
        write_value(line, span.name());
        line.push(b'}');
    }
    if separator == b"," {
        line.push(b']');
    }
    line.extend(b"}\n");
}

fn write_request(line: &mut Vec<u8>, request: &RequestContext) {
    line.extend(br#","request_id":"#);
    write_value(line, request.request_id());
    if let Some(operation) = request.operation() {
        line.extend(br#","operation":"#);
        write_value(line, operation);
    }
}

/// Writes a time to the microsecond. The date and the second are formatted once a second.
fn write_time(line: &mut Vec<u8>, now: DateTime<Utc>) {
    SECOND.with_borrow_mut(|(second, text)| {
        if *second != now.timestamp() {
            *second = now.timestamp();
            *text = now.format("%Y-%m-%dT%H:%M:%S").to_string();
        }
        line.extend(text.as_bytes());
    });
    // Writing into memory does not fail, here and below.
    drop(write!(line, ".{:06}Z", now.timestamp_subsec_micros()));
}

fn write_value(line: &mut Vec<u8>, value: impl Serialize) {
    drop(serde_json::to_writer(line, &value));
}

fn text_of(line: &[u8]) -> Result<&str, fmt::Error> {
    str::from_utf8(line).map_err(|_| fmt::Error)
}

/// Writes fields as members.
struct Members<'l> {
    line: &'l mut Vec<u8>,
    is_first: bool,
}

impl Members<'_> {
    fn write(&mut self, field: &Field, value: impl Serialize) {
        if !self.is_first {
            self.line.push(b',');
        }
        self.is_first = false;
        let name = field.name();
        // Names stand in the code, and none has a character to escape.
        self.line.push(b'"');
        self.line.extend(name.strip_prefix("r#").unwrap_or(name).as_bytes());
        self.line.extend(br#"":"#);
        write_value(self.line, value);
    }
}

impl Visit for Members<'_> {
    /// Writes NaN and the infinities as `null`, because JSON has no such numbers.
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.write(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.write(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.write(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut text = String::new();
        // If formatting fails, the line has the text up to there.
        let _ = write!(text, "{value:?}");
        self.write(field, text);
    }
}
