//! The log. It goes to standard error, so that the output of commands can be piped.

pub mod json;
pub mod text;
pub mod writer;

use std::{
    io::{IsTerminal, stderr},
    sync::OnceLock,
};

use platform::config::LogFormat;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, fmt,
    fmt::MakeWriter,
    layer::{Layered, SubscriberExt},
    util::SubscriberInitExt,
};

use self::{
    json::{JsonFields, JsonLines},
    text::TextLines,
    writer::{LineBuffer, LineWriter},
};

/// The default filters; `RUST_LOG` replaces them.
const FOR_SERVER: &str = "info,sea_orm_migration=warn";
const FOR_COMMANDS: &str = "warn";

/// The writer of the server's log.
static WRITER: OnceLock<LineWriter> = OnceLock::new();

/// Starts the log. The filter is a layer of its own: as a filter of one layer it lost events that other layers had disabled.
type Filtered = Layered<EnvFilter, Registry>;

/// Starts the log of the server, which a thread of its own writes.
pub fn start_for_server(format: LogFormat) -> std::io::Result<()> {
    let lines = LineBuffer::default();
    let writer = LineWriter::start(lines.clone(), stderr())?;
    start(format, FOR_SERVER, lines);
    // Fails if the log was started before, which then is the one that is written.
    drop(WRITER.set(writer));
    Ok(())
}

/// Starts the log of a command.
pub fn start_for_command(format: LogFormat) {
    start(format, FOR_COMMANDS, stderr);
}

/// Writes what is buffered. Later lines of the server's log are lost.
pub fn flush() {
    if let Some(writer) = WRITER.get() {
        writer.stop();
    }
}

fn start(format: LogFormat, default: &str, writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let terminal = stderr().is_terminal();
    let json = match format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let lines: Box<dyn Layer<Filtered> + Send + Sync> = if json {
        fmt::layer()
            .fmt_fields(JsonFields)
            .event_format(JsonLines)
            .with_writer(writer)
            .boxed()
    } else {
        fmt::layer()
            .with_ansi(terminal)
            .event_format(TextLines::new(terminal))
            .with_writer(writer)
            .boxed()
    };
    // Fails if a test has started a log already.
    if tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .try_init()
        .is_ok()
    {
        std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    }
}
