//! The log and the traces. The log goes to standard error, so that the output of commands can be piped.

mod otlp;

use std::{
    io::{BufWriter, IsTerminal, stderr},
    sync::{Mutex, OnceLock, PoisonError},
};

use platform::config::{LogFormat, Settings};
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    fmt::{self, MakeWriter},
    layer::{Layered, SubscriberExt},
    util::SubscriberInitExt,
};

use self::otlp::Traces;
use crate::http::slow_requests::SpanTimes;

/// The default filters; `RUST_LOG` replaces them.
const FOR_SERVER: &str = "info,sea_orm_migration=warn";
const FOR_COMMANDS: &str = "warn";

/// The most lines that wait to be written: seconds of a busy server. Further lines are dropped and counted.
const MAX_LINES: usize = 32 * 1024;

/// Ends when the server does: what waits is written and sent.
static RUNNING: Mutex<Option<(WorkerGuard, Option<Traces>)>> = Mutex::new(None);

static DROPPED: OnceLock<ErrorCounter> = OnceLock::new();

/// The filter is a layer of its own: as a filter of one layer it lost events that other layers had disabled.
type Filtered = Layered<EnvFilter, Registry>;

/// Starts the log of the server, which a thread of its own writes, and its traces.
pub fn start_for_server(settings: &Settings) -> anyhow::Result<()> {
    let writer = NonBlockingBuilder::default()
        .buffered_lines_limit(MAX_LINES)
        .thread_name("log");
    let (writer, guard) = writer.finish(BufWriter::new(stderr()));
    let dropped = writer.error_counter();
    let traces = settings.otlp_url.as_ref().map(Traces::start).transpose()?;
    let is_first = start(settings.log_format, FOR_SERVER, writer, traces.as_ref());
    // A test may have started a log before, which then is the one that is written.
    if is_first && DROPPED.set(dropped).is_ok() {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some((guard, traces));
    }
    Ok(())
}

/// Starts the log of a command.
pub fn start_for_command(format: LogFormat) {
    start(format, FOR_COMMANDS, stderr, None);
}

/// The number of lines that were dropped, because standard error was not read fast enough.
pub fn dropped_lines() -> usize {
    DROPPED.get().map_or(0, ErrorCounter::dropped_lines)
}

/// Writes what is buffered, and sends the spans that wait. Later lines of the server's log are lost.
pub fn flush() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((_, Some(traces))) = &running {
        traces.stop();
    }
}

fn start(
    format: LogFormat,
    default: &str,
    writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static,
    traces: Option<&Traces>,
) -> bool {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let terminal = stderr().is_terminal();
    let json = match format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let lines = fmt::layer().with_ansi(terminal).with_writer(writer);
    let lines: Box<dyn Layer<Filtered> + Send + Sync> = match json {
        true => lines.json().flatten_event(true).with_current_span(false).boxed(),
        false => lines.boxed(),
    };
    let started = tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .with(SpanTimes)
        .with(traces.map(Traces::layer))
        .try_init();
    if started.is_ok() {
        std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    }
    started.is_ok()
}
