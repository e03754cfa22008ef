//! The log: to standard error, so that what a command prints stays usable.

use std::io::{IsTerminal, stderr};

use platform::config::LogFormat;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, fmt,
    layer::{Layered, SubscriberExt},
    util::SubscriberInitExt,
};

/// What is logged unless `RUST_LOG` says otherwise.
pub const FOR_SERVER: &str = "info,sea_orm_migration=warn";
pub const FOR_COMMANDS: &str = "warn";

/// The filter is a layer of its own: one that only a layer had lost events after others had asked whether theirs are wanted.
type Filtered = Layered<EnvFilter, Registry>;

pub fn start(format: LogFormat, default: &str) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let terminal = stderr().is_terminal();
    let json = match format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let lines: Box<dyn Layer<Filtered> + Send + Sync> = if json {
        fmt::layer().json().flatten_event(true).with_writer(stderr).boxed()
    } else {
        fmt::layer().with_ansi(terminal).with_writer(stderr).boxed()
    };
    // Fails when a test has set up a log before; that one is as good.
    if tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .try_init()
        .is_ok()
    {
        std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
    }
}
