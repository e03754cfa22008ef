//! Lines of the log as JSON, with the request that they belong to. The subscriber's own format parses the fields of a span again whenever one is added, which
//! costs more than the rest of a line.

use std::fmt::{self, Write};

use platform::request_context::RequestContext;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    field::RecordFields,
    fmt::{
        FmtContext, FormatEvent, FormatFields, FormattedFields,
        format::Writer,
        time::{FormatTime, SystemTime},
    },
    registry::LookupSpan,
};

/// Fields as members of an object, without its braces.
pub struct JsonFields;

impl<'w> FormatFields<'w> for JsonFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut members = Members {
            writer,
            separator: "",
            result: Ok(()),
        };
        fields.record(&mut members);
        members.result
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
        let metadata = event.metadata();
        writer.write_str(r#"{"timestamp":""#)?;
        SystemTime.format_time(&mut writer)?;
        write!(writer, r#"","level":"{}""#, metadata.level())?;
        let mut members = Members {
            writer: writer.by_ref(),
            separator: ",",
            result: Ok(()),
        };
        event.record(&mut members);
        members.result?;
        RequestContext::with_current(|request| write_request(&mut writer, request)).transpose()?;
        writer.write_str(r#","target":"#)?;
        write_text(&mut writer, metadata.target())?;
        let mut separator = r#","spans":["#;
        for span in context.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
            writer.write_str(separator)?;
            separator = ",";
            writer.write_char('{')?;
            let extensions = span.extensions();
            if let Some(fields) = extensions.get::<FormattedFields<JsonFields>>()
                && !fields.is_empty()
            {
                write!(writer, "{fields},")?;
            }
            writer.write_str(r#""name":"#)?;
            write_text(&mut writer, span.name())?;
            writer.write_char('}')?;
        }
        if separator == "," {
            writer.write_char(']')?;
        }
        writer.write_str("}\n")
    }
}

fn write_request(writer: &mut Writer<'_>, request: &RequestContext) -> fmt::Result {
    writer.write_str(r#","request_id":"#)?;
    write_text(writer, request.request_id())?;
    let Some(operation) = request.operation() else {
        return Ok(());
    };
    writer.write_str(r#","operation":"#)?;
    write_text(writer, operation)
}

/// Writes fields as members.
struct Members<'w> {
    writer: Writer<'w>,
    /// Before the next member.
    separator: &'static str,
    result: fmt::Result,
}

impl Members<'_> {
    fn add(&mut self, field: &Field, write: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        if self.result.is_ok() {
            self.result = self.write(field.name(), write);
        }
    }

    fn write(&mut self, name: &str, write: impl FnOnce(&mut Writer<'_>) -> fmt::Result) -> fmt::Result {
        self.writer.write_str(self.separator)?;
        self.separator = ",";
        write_text(&mut self.writer, name.strip_prefix("r#").unwrap_or(name))?;
        self.writer.write_char(':')?;
        write(&mut self.writer)
    }
}

impl Visit for Members<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, |writer| {
            if value.is_finite() {
                write!(writer, "{value}")
            } else {
                writer.write_str("null")
            }
        });
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, |writer| write!(writer, "{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, |writer| write!(writer, "{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, |writer| write!(writer, "{value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, |writer| write_text(writer, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, |writer| write_text(writer, &format!("{value:?}")));
    }
}

fn write_text(writer: &mut impl Write, text: &str) -> fmt::Result {
    if text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        return writer.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?);
    }
    // Nothing to escape, as in most texts.
    writer.write_char('"')?;
    writer.write_str(text)?;
    writer.write_char('"')
}
