//! A process that runs scripts, the parent's side.

mod pending;

use std::{
    collections::{HashMap, VecDeque},
    io,
    process::{ExitStatus, Stdio},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot},
};

use self::pending::Pending;
pub(crate) use self::pending::{Answered, Lease, PlaceFreed, reason_of};
use crate::{
    Event, Fetch, Reason, Settings,
    frames::{self, LENGTH_BYTES, ToChild, ToParent},
};

/// How much of the messages of a process is logged, in bytes.
const MAX_MESSAGES: u64 = 2000;

/// Bytes of a frame from a child besides a body: headers, or logs.
const FRAME_BYTES: usize = 4 * 1024 * 1024;

/// Requests of the scripts of a process at once. More wait.
const REQUESTS_AT_ONCE: usize = 16;

/// A frame for the child, with what is held until it has been written.
pub(crate) type Outgoing = (Vec<u8>, Option<OwnedSemaphorePermit>);

pub(crate) struct Process {
    pub settings: Arc<Settings>,
    /// Events, and those that wait for their turn.
    pub users: AtomicUsize,
    /// One permit for each event at once.
    pub turns: Arc<Semaphore>,
    pub requests: Arc<Semaphore>,
    state: Mutex<State>,
    output: mpsc::UnboundedSender<Outgoing>,
    stop: Notify,
}

#[derive(Default)]
struct State {
    events: HashMap<u64, Pending>,
    last_id: u64,
    /// Versions of which the child has the script.
    scripts: VecDeque<u64>,
    is_ready: bool,
    /// The event that the child is at work on.
    working: Option<u64>,
    /// The event that took too long.
    late: Option<u64>,
    last_used: Option<Instant>,
    has_ended: bool,
    /// Why it has not become ready.
    start_error: Option<String>,
}

impl Process {
    /// Starts a process. It ends with `stop`, or by itself.
    pub fn start(settings: &Arc<Settings>) -> io::Result<Arc<Self>> {
        let mut child = Command::new(&settings.program)
            .args(&settings.arguments)
            // The secrets of the server are in its environment.
            .env_clear()
            // What the allocator reserves when it starts, a gigabyte, would not count against the limit on memory.
            .env("MIMALLOC_ARENA_RESERVE", "0")
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(messages)) = ends else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, receiver) = mpsc::unbounded_channel();
        let process = Arc::new(Self {
            settings: Arc::clone(settings),
            users: AtomicUsize::new(0),
            turns: Arc::new(Semaphore::new(settings.concurrency)),
            requests: Arc::new(Semaphore::new(REQUESTS_AT_ONCE)),
            state: Mutex::default(),
            output: sender,
            stop: Notify::new(),
        });
        process.send(&ToChild::Limits(settings.limits), &[], None)?;
        tokio::spawn(write(input, receiver));
        tokio::spawn(Arc::clone(&process).supervise(child, output, messages));
        Ok(process)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn has_ended(&self) -> bool {
        self.state().has_ended
    }

    /// When an event began or ended last.
    pub fn last_used(&self) -> Option<Instant> {
        self.state().last_used
    }

    pub fn is_idle(&self) -> bool {
        self.users.load(Ordering::Acquire) == 0
    }

    /// Ends the process. Its events fail.
    pub fn stop(&self) {
        self.stop.notify_one();
    }

    /// Hands an event to the child. `None`: the process has ended before that.
    pub fn begin(
        self: &Arc<Self>,
        event: &Event,
        fetch: Arc<dyn Fetch>,
        lease: Lease,
    ) -> io::Result<Option<oneshot::Receiver<Answered>>> {
        let mut state = self.state();
        if let Some(error) = &state.start_error {
            return Err(io::Error::other(error.clone()));
        }
        if state.has_ended {
            return Ok(None);
        }
        if !state.scripts.contains(&event.version) {
            let head = ToChild::Script {
                version: event.version,
                runtime: event.runtime,
            };
            self.send(&head, &[event.script.as_bytes()], None)?;
            state.scripts.push_back(event.version);
            if state.scripts.len() > frames::KEPT_SCRIPTS {
                state.scripts.pop_front();
            }
        }
        state.last_id += 1;
        let id = state.last_id;
        let head = ToChild::Event {
            id,
            installation: event.installation.to_string(),
            version: event.version,
            wall_time: event.wall_time,
            event_bytes: event.event.len(),
            environment_bytes: event.environment.len(),
            has_body: event.fetch_body.is_some(),
            parse_only: event.parse_only,
        };
        let body = event.fetch_body.as_deref().unwrap_or_default();
        self.send(
            &head,
            &[event.event.as_bytes(), event.environment.as_bytes(), body],
            None,
        )?;
        state.last_used = Some(Instant::now());
        let (mut pending, outcome) = Pending::new(fetch, lease);
        let (process, time) = (Arc::clone(self), event.wall_time + self.settings.grace);
        pending.tasks.spawn(async move {
            tokio::time::sleep(time).await;
            process.kill_late(id);
        });
        state.events.insert(id, pending);
        Ok(Some(outcome))
    }

    /// The last ring of limits: it works where the child does not come back from native code.
    fn kill_late(&self, id: u64) {
        self.state().late.get_or_insert(id);
        self.stop();
    }

    pub fn send(&self, head: &ToChild, parts: &[&[u8]], permit: Option<OwnedSemaphorePermit>) -> io::Result<()> {
        let sent = self.output.send((frames::encode(head, parts)?, permit));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    async fn supervise(self: Arc<Self>, mut child: Child, output: ChildStdout, messages: ChildStderr) {
        let read = tokio::select! {
            read = self.read(output) => read,
            () = self.stop.notified() => Ok(()),
        };
        // It may have ended by itself, which is the more telling status.
        let has_ended = matches!(&read, Err(error) if error.kind() == io::ErrorKind::UnexpectedEof);
        if !has_ended {
            // Should it fail, the process has ended.
            let _ = child.start_kill();
        }
        let status = child.wait().await;
        let mut text = Vec::new();
        let _ = messages.take(MAX_MESSAGES).read_to_end(&mut text).await;
        let text = String::from_utf8_lossy(&text);
        if has_ended {
            let status = status.as_ref().map(ToString::to_string).unwrap_or_default();
            tracing::warn!(%status, messages = %text, "a process that runs scripts ended");
        } else if let Err(error) = read {
            tracing::warn!(%error, "a process that runs scripts was stopped");
        }
        self.finish(status.ok().filter(|_| has_ended), &text);
    }

    /// Fails the events that are left. `status`: that of a process that ended by itself.
    fn finish(&self, status: Option<ExitStatus>, messages: &str) {
        let mut state = self.state();
        state.has_ended = true;
        if status.is_some() && !state.is_ready {
            state.start_error = Some(format!("it ended before it was ready. {}", messages.trim()));
        }
        let late = state.late.filter(|_| status.is_none());
        let working = state.working.filter(|id| state.events.contains_key(id));
        let culprit = working.filter(|id| late.is_some_and(|late| late != *id));
        let reason = |id| match status {
            _ if state.start_error.is_some() => Reason::Start(state.start_error.clone().unwrap_or_default()),
            Some(status) if working == Some(id) => reason_of(status),
            None if late == Some(id) => Reason::Timeout,
            // It kept the process from the event that is late.
            None if culprit == Some(id) => Reason::Cpu,
            _ => Reason::Stopped,
        };
        let reasons: HashMap<u64, Reason> = state.events.keys().map(|id| (*id, reason(*id))).collect();
        let events = std::mem::take(&mut state.events);
        // Pending events run code of others when they are dropped.
        drop(state);
        for (id, pending) in events {
            pending.fail(reasons.get(&id).cloned().unwrap_or(Reason::Stopped));
        }
    }

    async fn read(self: &Arc<Self>, mut output: ChildStdout) -> io::Result<()> {
        let max = self.settings.limits.body.saturating_add(FRAME_BYTES);
        loop {
            let mut length = [0; LENGTH_BYTES];
            output.read_exact(&mut length).await?;
            let length = frames::length(length)?;
            if length > max {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the frame is too large"));
            }
            let mut frame = vec![0; length];
            output.read_exact(&mut frame).await?;
            let (head, bytes) = frames::decode(&frame)?;
            self.take(head, bytes)?;
        }
    }

    /// Frames of events that have ended are dropped.
    fn take(self: &Arc<Self>, frame: ToParent, bytes: &[u8]) -> io::Result<()> {
        let limits = &self.settings.limits;
        let mut state = self.state();
        match frame {
            ToParent::Ready => state.is_ready = true,
            ToParent::Working { id } => state.working = Some(id),
            ToParent::Fetch {
                id,
                request,
                method,
                url,
                headers,
            } => {
                if let Some(pending) = state.events.get_mut(&id) {
                    let asked = crate::FetchRequest {
                        method,
                        url,
                        headers,
                        body: bytes.to_vec(),
                    };
                    pending.fetch(self, id, request, asked)?;
                }
            }
            ToParent::Answer { id, status, headers } => {
                if let Some(pending) = state.events.get_mut(&id) {
                    pending.answer(limits, status, headers, bytes.to_vec());
                }
            }
            ToParent::Done { id, mut logs, failure } => {
                let done = state.events.remove(&id);
                state.last_used = Some(Instant::now());
                drop(state);
                logs.truncate(limits.log_lines);
                if let Some(pending) = done {
                    pending.finish(logs, failure);
                }
            }
        }
        Ok(())
    }
}

async fn write(mut input: ChildStdin, mut frames: mpsc::UnboundedReceiver<Outgoing>) {
    while let Some((frame, _permit)) = frames.recv().await {
        // A process that takes no more is seen by its end.
        if input.write_all(&frame).await.is_err() {
            return;
        }
    }
}
