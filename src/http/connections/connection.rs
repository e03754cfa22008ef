//! What the server knows of one connection, and when its patience with it ends.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use openapi::error::ApiError;
use poem::http::HeaderMap;
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until},
};

use super::{Connections, TimeLimits};

/// Requests of one connection that are worked on at once; unread large answers count too. More wait.
const REQUESTS_AT_ONCE: usize = 16;

/// The memory that each connection has for its requests in flight, apart from that of all: enough for a usual request.
const OWN_HEAD_BYTES: usize = 20 * 1024;

/// Measured memory of a request beside its head, until its answer is sent: its stream, its task, its handler.
const REQUEST_BYTES: usize = 12 * 1024;

/// The most memory of a head of HTTP/2 that is not complete: many short headers, unpacked.
const OPEN_HEAD_BYTES: usize = 512 * 1024;

/// An answer that the protocol has not taken yet.
pub(super) trait Unsent: Send + Sync {
    /// When the client has to have taken the next bytes; `None` if the answer is through.
    fn deadline(&self, times: &TimeLimits) -> Option<Instant>;

    /// Frees the content. The client gets an answer that is cut off.
    fn give_up(&self);
}

pub struct Connection {
    pub(super) connections: Arc<Connections>,
    pub(super) id: u64,
    pub(super) network: u128,
    /// Many clients are behind the address.
    pub(super) has_shared_address: bool,
    opened: Instant,
    state: Mutex<State>,
    pub(super) bodies: Mutex<Bodies>,
    /// Nothing is under way on the transport: all that it was given has been sent.
    quiet: AtomicBool,
    evicted: Notify,
    slots: Arc<Semaphore>,
}

pub(super) struct State {
    has_asked: bool,
    in_flight: usize,
    /// The memory of these requests: of their heads, and of each beside its head.
    head_bytes: usize,
    idle_since: Instant,
    /// The transport takes no more bytes since then.
    blocked_since: Option<Instant>,
    /// The answers whose bodies are still to be sent, in their order.
    pub(super) unsent: BTreeMap<u64, Arc<dyn Unsent>>,
    pub(super) next_answer: u64,
    /// The server stops since then.
    stopped_since: Option<Instant>,
    /// Bytes of `unsent`, and bytes on their way through the protocol.
    pub(super) unsent_bytes: usize,
    pub(super) sending_bytes: usize,
    /// When some of the latter were sent, or the first of them came.
    pub(super) sent_at: Instant,
    pub(super) unread_since: Instant,
    pub(super) is_closed: bool,
}

/// What is to be done about a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It has nothing to do, and may end in good order.
    Idle,
    /// It keeps the server waiting.
    Overdue,
    /// The server stops, and the client waits for nothing.
    Stopped,
}

/// The bodies of requests that are on their way in.
#[derive(Clone, Copy, Default)]
pub(super) struct Bodies {
    pub count: usize,
    /// The bytes that the protocol may keep of them.
    pub bytes: usize,
    /// An upper bound of the number of bodies with trailers.
    pub trailers: usize,
}

enum Check {
    Until(Instant),
    Over(Fate),
}

impl Connection {
    pub(super) fn new(connections: Arc<Connections>, id: u64, network: u128, has_shared_address: bool) -> Arc<Self> {
        let now = Instant::now();
        Arc::new(Self {
            connections,
            id,
            network,
            has_shared_address,
            opened: now,
            state: Mutex::new(State {
                has_asked: false,
                in_flight: 0,
                head_bytes: 0,
                idle_since: now,
                blocked_since: None,
                unsent: BTreeMap::new(),
                next_answer: 0,
                stopped_since: None,
                unsent_bytes: 0,
                sending_bytes: 0,
                sent_at: now,
                unread_since: now,
                is_closed: false,
            }),
            bodies: Mutex::default(),
            quiet: AtomicBool::new(true),
            evicted: Notify::new(),
            slots: Arc::new(Semaphore::new(REQUESTS_AT_ONCE)),
        })
    }

    pub fn times(&self) -> TimeLimits {
        self.connections.limits.times
    }

    /// A request begins; it ends when the returned value is dropped, at the latest with the last byte of its answer.
    /// `false` if there is no memory for its head.
    pub(super) fn begin(self: &Arc<Self>, head_bytes: usize) -> (InFlight, bool) {
        self.quiet.store(false, Ordering::Relaxed);
        let mut state = self.state();
        state.has_asked = true;
        state.in_flight += 1;
        let with_head = REQUEST_BYTES + head_bytes;
        let has_memory = self.hold_head(&mut state, with_head, false);
        let bytes = if has_memory { with_head } else { REQUEST_BYTES };
        // Whoever reads no refusals either is cut off.
        let is_bounded = has_memory || self.hold_head(&mut state, bytes, true);
        drop(state);
        if !is_bounded {
            self.evict();
        }
        let in_flight = InFlight {
            connection: Arc::clone(self),
            head_bytes: if is_bounded { bytes } else { 0 },
        };
        (in_flight, has_memory)
    }

    /// Counts the bytes of a head; `false` if there is no memory for it.
    fn hold_head(&self, state: &mut State, bytes: usize, is_refused: bool) -> bool {
        let held = state.head_bytes + bytes;
        let shared = shared_bytes(held) - shared_bytes(state.head_bytes);
        let fits = shared == 0 || self.connections.heads.hold(self, shared, is_refused);
        if fits {
            state.head_bytes = held;
        }
        fits
    }

    fn release_head(&self, state: &mut State, bytes: usize) {
        let held = state.head_bytes - bytes;
        let shared = shared_bytes(state.head_bytes) - shared_bytes(held);
        state.head_bytes = held;
        if shared > 0 {
            self.connections.heads.release(self, shared);
        }
    }

    /// Counts a head that is not complete; `false` if there is no memory for it.
    pub(super) fn hold_open_head(&self) -> bool {
        self.connections.open_heads.hold(self, OPEN_HEAD_BYTES, false)
    }

    pub(super) fn release_open_head(&self) {
        self.connections.open_heads.release(self, OPEN_HEAD_BYTES);
    }

    /// Waits for its turn to be worked on.
    pub async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.slots).acquire_owned().await.ok()
    }

    /// Completes when the connection has to end.
    pub async fn end(&self) -> Fate {
        loop {
            let now = Instant::now();
            match self.check(now) {
                Check::Over(fate) => return fate,
                // A deadline that arises in the meantime is not earlier than the second one.
                Check::Until(deadline) => {
                    let look_again = deadline.min(now + self.times().shortest());
                    tokio::select! {
                        () = sleep_until(look_again) => {}
                        () = self.evicted.notified() => return Fate::Overdue,
                    }
                }
            }
        }
    }

    fn check(&self, now: Instant) -> Check {
        let times = self.times();
        let mut state = self.state();
        let mut deadline = now + times.shortest();
        let mut given_up = Vec::new();
        if let Some(since) = state.blocked_since {
            if since + times.send <= now {
                return Check::Over(Fate::Overdue);
            }
            deadline = deadline.min(since + times.send);
        }
        if state.sending_bytes > 0 {
            let due = state.sent_at + times.send;
            if due <= now {
                return Check::Over(Fate::Overdue);
            }
            deadline = deadline.min(due);
        }
        state.unsent.retain(|_, unsent| match unsent.deadline(&times) {
            Some(due) if due <= now => {
                given_up.push(Arc::clone(unsent));
                false
            }
            Some(due) => {
                deadline = deadline.min(due);
                true
            }
            None => true,
        });
        if state.in_flight == 0 {
            let (due, fate) = if state.has_asked {
                (state.idle_since + times.idle, Fate::Idle)
            } else {
                (self.opened + times.start, Fate::Idle)
            };
            if due <= now {
                return Check::Over(fate);
            }
            deadline = deadline.min(due);
        }
        if let Some(stopped) = state.stopped_since {
            // Answers that the client is still taking are in the protocol, not in flight.
            let is_done = state.in_flight == 0 && state.sending_bytes == 0 && state.blocked_since.is_none();
            let due = stopped.max(state.idle_since) + times.receive_at_stop;
            if is_done && due <= now {
                return Check::Over(Fate::Stopped);
            }
            deadline = deadline.min(if is_done { due } else { now + times.receive_at_stop });
        }
        drop(state);
        given_up.iter().for_each(|unsent| unsent.give_up());
        Check::Until(deadline)
    }

    /// The server stops: the connection ends as soon as its client waits for nothing.
    pub fn stop(&self) {
        self.state().stopped_since.get_or_insert_with(Instant::now);
    }

    pub(super) fn evict(&self) {
        self.forget_answers();
        self.evicted.notify_one();
    }

    /// Since when there has been nothing to do; `None` while there is.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let state = self.state();
        (state.in_flight == 0).then_some(state.idle_since)
    }

    /// Since when the client has not read fast enough, see [`Self::reads`]; `None` if it has all.
    pub(super) fn unread_since(&self) -> Option<Instant> {
        let state = self.state();
        (state.unsent_bytes + state.sending_bytes > 0).then_some(state.unread_since)
    }

    /// The transport has taken bytes, of which so many are counted.
    pub(super) fn sent(&self, bytes: usize) {
        let mut state = self.state();
        state.blocked_since = None;
        if bytes > 0 {
            state.sent_at = Instant::now();
        }
        let bytes = bytes.min(state.sending_bytes);
        state.sending_bytes -= bytes;
        drop(state);
        if bytes > 0 {
            self.connections.release(bytes);
        }
    }

    /// The transport takes no bytes.
    pub(super) fn blocked(&self) {
        self.state().blocked_since.get_or_insert_with(Instant::now);
    }

    /// All that the transport was given has been sent.
    pub(super) fn flushed(&self) {
        if !self.quiet.load(Ordering::Relaxed) && self.state().in_flight == 0 {
            self.quiet.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether what is sent next answers no request that was passed on: the protocol itself refuses one.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet.load(Ordering::Relaxed)
    }

    pub(super) fn speaks(&self) {
        self.quiet.store(false, Ordering::Relaxed);
    }

    /// Nothing is sent any more.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.forget_answers();
        self.forget_bodies();
    }

    fn forget_answers(&self) {
        let mut state = self.state();
        let bytes = std::mem::take(&mut state.unsent_bytes) + std::mem::take(&mut state.sending_bytes);
        let unsent = std::mem::take(&mut state.unsent);
        drop(state);
        self.connections.release(bytes);
        unsent.values().for_each(|unsent| unsent.give_up());
    }

    /// A new request id, for a request that did not come as far as to get one.
    pub(super) fn request_id(&self) -> String {
        self.connections.ids.context(&HeaderMap::new()).request_id().to_owned()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of these bytes of one connection that counts for the memory of all.
fn shared_bytes(head_bytes: usize) -> usize {
    head_bytes.saturating_sub(OWN_HEAD_BYTES)
}

/// A request between its head and the end of its answer.
pub struct InFlight {
    connection: Arc<Connection>,
    head_bytes: usize,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.connection.state();
        self.connection.release_head(&mut state, self.head_bytes);
        state.in_flight -= 1;
        let idle = state.in_flight == 0;
        if idle {
            state.idle_since = Instant::now();
        }
        drop(state);
        if idle {
            self.connection.connections.idle();
        }
    }
}

/// Seconds after which there may be memory for the same answer.
const RETRY_AFTER: u32 = 1;

pub(super) fn overloaded() -> ApiError {
    let message = "The server holds too many answers that clients have not read yet. Retry after the number of seconds in \
                   `Retry-After`.";
    ApiError::overloaded(message, RETRY_AFTER)
}
