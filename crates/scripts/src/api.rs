//! Public types of the pool.

use std::{ffi::OsString, fmt, path::PathBuf, pin::Pin, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

/// Names and values of headers, in order. A name may come more than once.
pub type Headers = Vec<(String, String)>;

/// The program that runs scripts, and its limits.
#[derive(Debug, Clone)]
pub struct Settings {
    /// A program that calls `scripts::run`.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// The most processes at once, without the spare one.
    pub processes: usize,
    /// The most events of one integration at once. More wait.
    pub concurrency: usize,
    /// The time after which a waiting event fails with [`Reason::TooBusy`].
    pub wait: Duration,
    /// The time for which a process is kept before it ends for another integration.
    pub keep: Duration,
    /// The time from the last event of a process that ends for another integration until its events are stopped.
    pub patience: Duration,
    /// The time from the end of the wall time of an event until the parent kills the process.
    pub grace: Duration,
    pub limits: Limits,
}

impl Settings {
    /// The settings that hold where nothing else is set.
    pub fn new(program: PathBuf, arguments: Vec<OsString>) -> Self {
        Self {
            program,
            arguments,
            processes: 16,
            concurrency: 16,
            wait: Duration::from_secs(10),
            keep: Duration::from_secs(2),
            patience: Duration::from_secs(5),
            grace: Duration::from_millis(500),
            limits: Limits::default(),
        }
    }

    /// The processes of an owner that are not lent.
    pub(crate) fn share(&self) -> usize {
        self.processes.div_ceil(2)
    }
}

/// The limits that a child keeps.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time of a script without a break.
    pub slice: Duration,
    /// CPU time for an event, without loading.
    pub cpu: Duration,
    /// CPU time for loading a script.
    pub load: Duration,
    /// Bytes of the heap of a runtime.
    pub heap: usize,
    /// Bytes of the stack of a runtime.
    pub stack: usize,
    /// Bytes of the data of a process, with all its runtimes.
    pub process_memory: u64,
    /// Requests that an event may make.
    pub sub_requests: usize,
    /// Bytes of a body: that of a request of the script, and that of an answer.
    pub body: usize,
    /// Bytes of the names and values of the headers of a request or an answer.
    pub headers: usize,
    /// Log lines that are kept of an event.
    pub log_lines: usize,
    /// Bytes that are kept of a log line.
    pub log_bytes: usize,
    /// Events that a runtime lives for.
    pub events: u32,
    /// The time after which a runtime without work ends.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            slice: Duration::from_millis(200),
            cpu: Duration::from_secs(1),
            load: Duration::from_secs(1),
            heap: 64 * 1024 * 1024,
            stack: 512 * 1024,
            process_memory: 384 * 1024 * 1024,
            sub_requests: 50,
            body: 10 * 1024 * 1024,
            headers: 64 * 1024,
            log_lines: 256,
            log_bytes: 4096,
            events: 1000,
            idle: Duration::from_secs(60),
        }
    }
}

/// The form of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScriptRuntime {
    /// A classic script that calls `addEventListener('fetch', …)`.
    V1,
    /// An ES module, the default export of which has `fetch(request, env, ctx)`.
    V2,
}

/// An event for a script.
#[derive(Debug, Clone)]
pub struct Event {
    /// The owner of the integration. Owners share the processes.
    pub owner: Arc<str>,
    /// The integration. Its events run in one process.
    pub integration: Arc<str>,
    /// The installation, or another text that is the same for events that may share a runtime.
    pub installation: Arc<str>,
    /// The version of the integration. It names the script within the integration.
    pub version: u64,
    pub script: Arc<str>,
    pub runtime: ScriptRuntime,
    /// JSON text of the event. The script gets exactly this text.
    pub event: Arc<str>,
    /// JSON text of the environment.
    pub environment: Arc<str>,
    /// The body of the request that a `fetch` event is about.
    pub fetch_body: Option<Vec<u8>>,
    /// The script is parsed and does not run. The answer is empty.
    pub parse_only: bool,
    /// Time for all of it, with the rest after the answer.
    pub wall_time: Duration,
}

/// The bytes of names and values.
pub(crate) fn header_bytes(headers: &Headers) -> usize {
    headers.iter().map(|(name, value)| name.len() + value.len()).sum()
}

/// The answer of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// 200 to 599.
    pub status: u16,
    /// Names in lower case. Each `set-cookie` stands for itself.
    pub headers: Headers,
    pub body: Vec<u8>,
}

/// The end of an event that has been answered. The script goes on whether anybody waits for the end or not.
#[derive(Debug)]
pub struct Rest(pub(crate) oneshot::Receiver<Finished>);

impl Rest {
    /// Waits until all promises of `waitUntil` have ended.
    pub async fn finish(self) -> Finished {
        self.0.await.unwrap_or(Finished {
            logs: Vec::new(),
            failure: Some(Reason::Stopped),
        })
    }
}

/// The end of an event that has been answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// All log lines of the event, those before the answer too.
    pub logs: Vec<Log>,
    /// Why the rest failed. A promise of `waitUntil` that is rejected is one reason.
    pub failure: Option<Reason>,
}

/// An event without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub reason: Reason,
    pub logs: Vec<Log>,
}

/// Why an event failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// It took more wall time than it has.
    Timeout,
    /// It took more CPU time than it has.
    Cpu,
    /// It took more memory than it has.
    Memory,
    /// The script failed, or could not be loaded. The message is that of the script.
    Script(String),
    /// The answer is too large, or its status or a header cannot be sent.
    Answer(String),
    /// The system killed the process while it worked on this event.
    Killed,
    /// The process ended while it worked on this event.
    Crashed,
    /// The process ended because of another event, or of the server. The event may be tried again.
    Stopped,
    /// Too many other events of the integration are waiting, or all processes are at work. It may be tried again.
    TooBusy,
    /// The process cannot be started.
    Start(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => formatter.write_str("The script took too much time."),
            Self::Cpu => formatter.write_str("The script took too much CPU time."),
            Self::Memory => formatter.write_str("The script took too much memory."),
            Self::Killed => formatter.write_str(
                "The system killed the process that ran the script: it took too much CPU time, or the system lacked memory.",
            ),
            Self::Script(message) | Self::Answer(message) => formatter.write_str(message),
            Self::Crashed => formatter.write_str("The process that ran the script ended."),
            Self::Stopped => formatter.write_str("The process that ran the script was stopped. Try again."),
            Self::TooBusy => formatter.write_str("Too many events of the integration are waiting. Try again."),
            Self::Start(error) => write!(formatter, "The process that runs scripts cannot be started: {error}"),
        }
    }
}

/// A line that a script logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    pub level: LogLevel,
    pub message: String,
    /// Milliseconds since 1970.
    pub timestamp: i64,
}

/// The method of `console` that logged a line. `log` is `info`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}

/// A request of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// In upper case, a token of HTTP.
    pub method: String,
    /// An absolute URL with scheme `http` or `https`.
    pub url: String,
    pub headers: Headers,
    pub body: Vec<u8>,
}

/// The response to a request of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchResponse {
    pub status: u16,
    pub headers: Headers,
    pub body: Vec<u8>,
}

/// The future of [`Fetch::fetch`]. An error is a message for the script.
pub type FetchFuture<'a> = Pin<Box<dyn Future<Output = Result<FetchResponse, String>> + Send + 'a>>;

/// Makes the requests of the scripts: the only way out of a process.
///
/// Redirects are not followed here: the child follows them by further requests, which count. The implementation decides which
/// addresses may be reached, checks names and values of the headers, and limits the time. The future is dropped when the event
/// ends.
pub trait Fetch: Send + Sync {
    /// `max_body`: the most bytes of the body of the response. A longer one has to be an error.
    fn fetch(&self, request: FetchRequest, max_body: usize) -> FetchFuture<'_>;
}
