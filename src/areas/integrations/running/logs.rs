//! What scripts log.

use entity::timestamp::Timestamp;
use scripts::{Log, LogLevel};
use serde_json::{Value, json};

use crate::kernel::wire::time;

/// Log lines that are stored of an event.
const MAX_LOG_LINES: usize = 256;

/// The longest log line that is stored, in bytes.
const MAX_LOG_LINE: usize = 4 * 1024;

/// A line that a script logged.
#[derive(Clone)]
pub struct LogLine {
    /// `debug`, `info`, `warn` or `error`.
    pub level: &'static str,
    pub message: String,
    pub timestamp: Timestamp,
}

impl From<Log> for LogLine {
    fn from(log: Log) -> Self {
        Self {
            level: match log.level {
                LogLevel::Debug => "debug",
                LogLevel::Info => "info",
                LogLevel::Warn => "warn",
                LogLevel::Error => "error",
            },
            message: log.message,
            timestamp: Timestamp::from_millis(log.timestamp),
        }
    }
}

/// The lines as the trace of an event shows them.
pub fn stored_logs(logs: Vec<LogLine>) -> Option<Value> {
    let lines = logs.into_iter().take(MAX_LOG_LINES).map(|line| {
        // PostgreSQL stores no NUL.
        let mut message = line.message.replace('\0', "");
        message.truncate(message.floor_char_boundary(MAX_LOG_LINE));
        json!({ "level": line.level, "timestamp": time(line.timestamp), "message": message })
    });
    let lines: Vec<Value> = lines.collect();
    (!lines.is_empty()).then_some(Value::Array(lines))
}
