//! Events that a process is at work on.

use std::{
    io,
    process::ExitStatus,
    sync::{Arc, Weak, atomic::Ordering},
};

use tokio::{
    sync::{OwnedSemaphorePermit, oneshot},
    task::JoinSet,
};
use url::Url;

use crate::{
    Answer, Failure, Fetch, FetchRequest, Finished, Limits, Log, Reason, Rest,
    api::{Headers, header_bytes},
    frames::{ResponseHead, ToChild},
    process::Process,
};

/// What `Scripts::run` returns.
pub(crate) type Answered = Result<(Answer, Rest), Failure>;

/// Told when the last event of a process has ended that gets no further ones.
pub(crate) trait PlaceFreed: Send + Sync {
    fn place_freed(self: Arc<Self>);
}

/// Keeps a process from being taken for idle.
pub(crate) struct Lease {
    pub process: Arc<Process>,
    pool: Weak<dyn PlaceFreed>,
    /// Held until the event ends.
    pub turn: Option<OwnedSemaphorePermit>,
}

impl Lease {
    pub fn new(process: Arc<Process>, pool: Weak<dyn PlaceFreed>) -> Self {
        process.users.fetch_add(1, Ordering::AcqRel);
        Self {
            process,
            pool,
            turn: None,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let is_last = self.process.users.fetch_sub(1, Ordering::AcqRel) == 1;
        // Others wait for the place of a process that gets no further events.
        if is_last
            && self.process.turns.is_closed()
            && let Some(pool) = self.pool.upgrade()
        {
            pool.place_freed();
        }
    }
}

pub(crate) struct Pending {
    answer: Option<(oneshot::Sender<Answered>, Rest)>,
    finished: oneshot::Sender<Finished>,
    fetch: Arc<dyn Fetch>,
    requests: usize,
    /// Requests of the script, and the clock of the parent. They end with the event.
    pub tasks: JoinSet<()>,
    _lease: Lease,
}

impl Pending {
    pub fn new(fetch: Arc<dyn Fetch>, lease: Lease) -> (Self, oneshot::Receiver<Answered>) {
        let (answer, outcome) = oneshot::channel();
        let (finished, rest) = oneshot::channel();
        let pending = Self {
            answer: Some((answer, Rest(rest))),
            finished,
            fetch,
            requests: 0,
            tasks: JoinSet::new(),
            _lease: lease,
        };
        (pending, outcome)
    }

    /// Makes a request of the script. What the child says about limits is checked again.
    pub fn fetch(&mut self, process: &Arc<Process>, id: u64, request: u32, asked: FetchRequest) -> io::Result<()> {
        let limits = &process.settings.limits;
        self.requests += 1;
        let is_too_large = asked.body.len() > limits.body || header_bytes(&asked.headers) > limits.headers;
        if self.requests > limits.sub_requests || is_too_large {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the child exceeds its limits",
            ));
        }
        let (process, fetch, max_body) = (Arc::clone(process), Arc::clone(&self.fetch), limits.body);
        self.tasks.spawn(async move {
            let Ok(permit) = Arc::clone(&process.requests).acquire_owned().await else {
                return;
            };
            let scheme = Url::parse(&asked.url).map(|url| url.scheme().to_owned());
            let fetched = match scheme.as_deref() {
                Ok("http" | "https") => fetch.fetch(asked, max_body).await,
                _ => Err("The URL is invalid.".to_owned()),
            };
            let checked = fetched.and_then(|response| match response {
                response if response.body.len() > max_body => Err("The body of the response is too large.".to_owned()),
                response if !(200..=599).contains(&response.status) => {
                    Err("The status of the response is invalid.".to_owned())
                }
                response => Ok(response),
            });
            let (response, body) = match checked {
                Ok(response) => {
                    let head = ResponseHead {
                        status: response.status,
                        headers: response.headers,
                    };
                    (Ok(head), response.body)
                }
                Err(message) => (Err(message), Vec::new()),
            };
            let reply = ToChild::Reply { id, request, response };
            // A process that has ended needs no reply.
            let _ = process.send(&reply, &[&body], Some(permit));
        });
        Ok(())
    }

    pub fn answer(&mut self, limits: &Limits, status: u16, headers: Headers, body: Vec<u8>) {
        let is_valid = (200..=599).contains(&status) && headers.iter().all(is_valid_header);
        if !is_valid || header_bytes(&headers) > limits.headers {
            return;
        }
        if let Some((answer, rest)) = self.answer.take() {
            // The caller may have gone.
            let _ = answer.send(Ok((Answer { status, headers, body }, rest)));
        }
    }

    /// The end that the child reports.
    pub fn finish(self, logs: Vec<Log>, failure: Option<Reason>) {
        match self.answer {
            Some((answer, _)) => {
                let invalid = || Reason::Answer("The status or a header of the answer cannot be sent.".to_owned());
                let reason = failure.unwrap_or_else(invalid);
                let _ = answer.send(Err(Failure { reason, logs }));
            }
            None => {
                let _ = self.finished.send(Finished { logs, failure });
            }
        }
    }

    /// The end without a report of the child.
    pub fn fail(self, reason: Reason) {
        self.finish(Vec::new(), Some(reason));
    }
}

/// Names and values with line ends would be headers of their own.
fn is_valid_header((name, value): &(String, String)) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_text = |byte: u8| byte == b'\t' || (byte >= b' ' && byte != 0x7f);
    !name.is_empty() && name.bytes().all(is_token) && value.bytes().all(is_text)
}

/// A process without memory aborts; one without CPU time ends by a signal of its own. The system kills for both.
pub(crate) fn reason_of(status: ExitStatus) -> Reason {
    use std::os::unix::process::ExitStatusExt;
    const ABORT: i32 = 6;
    const KILL: i32 = 9;
    const CPU_TIME: i32 = 24;
    match status.signal() {
        Some(CPU_TIME) => Reason::Cpu,
        Some(ABORT) => Reason::Memory,
        Some(KILL) => Reason::Killed,
        _ => Reason::Crashed,
    }
}
