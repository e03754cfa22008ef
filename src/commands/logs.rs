//! The log. It goes to standard error, so that the output of commands can be piped.

use std::io::{IsTerminal, stderr};

use platform::config::LogFormat;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, fmt,
    layer::{Layered, SubscriberExt},
    util::SubscriberInitExt,
};

/// The default filters; `RUST_LOG` replaces them.
pub const FOR_SERVER: &str = "info,sea_orm_migration=warn";
pub const FOR_COMMANDS: &str = "warn";

/// Starts the log. The filter is a layer of its own: as a filter of one layer it lost events that other layers had disabled.
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
