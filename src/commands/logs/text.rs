//! Lines of the log for people, with the request that they belong to.

use std::fmt;

use platform::request_context::RequestContext;
use tracing::{Event, Subscriber};
use tracing_subscriber::{
    fmt::{
        self as lines, FmtContext, FormatEvent, FormatFields,
        format::{Format, Full, Writer},
    },
    registry::LookupSpan,
};

/// The subscriber's own format, then the request.
pub struct TextLines(Format<Full>);

impl TextLines {
    pub fn new(terminal: bool) -> Self {
        Self(lines::format().with_ansi(terminal))
    }
}

impl<S, N> FormatEvent<S, N> for TextLines
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        writer.write_str(line.trim_end())?;
        let named = RequestContext::with_current(|request| {
            write!(writer, " request_id={:?}", request.request_id())?;
            match request.operation() {
                Some(operation) => write!(writer, " operation={operation:?}"),
                None => Ok(()),
            }
        });
        named.transpose()?;
        writer.write_char('\n')
    }
}
