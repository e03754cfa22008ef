//! The context of a request: its id and its caller.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, Ordering},
};

use entity::ids::UserId;
use poem::{
    Request,
    http::{HeaderMap, HeaderValue},
};

pub const REQUEST_ID: &str = "x-request-id";

/// Longer ids of clients are replaced.
const MAX_ID: usize = 128;

/// Kept with each request under its `Arc`, so that layers within can add to it.
pub struct RequestContext {
    id: HeaderValue,
    caller: OnceLock<UserId>,
}

impl RequestContext {
    /// The context of a request that passes through the service; `None` in a test that calls an area directly.
    pub fn of(request: &Request) -> Option<&Arc<Self>> {
        request.data::<Arc<Self>>()
    }

    /// Names the request in the answer, in the log and in what it changes.
    pub fn request_id(&self) -> &str {
        self.id.to_str().unwrap_or_default()
    }

    /// Notes who calls, for the log.
    pub fn set_caller(&self, caller: UserId) {
        self.caller.get_or_init(|| caller);
    }

    pub fn caller(&self) -> Option<UserId> {
        self.caller.get().copied()
    }

    pub fn id_header(&self) -> HeaderValue {
        self.id.clone()
    }
}

/// Makes request ids: random bits of this process, then a number.
pub struct RequestIds {
    process: u64,
    next: AtomicU64,
}

impl Default for RequestIds {
    fn default() -> Self {
        Self::new()
    }
}

impl RequestIds {
    pub fn new() -> Self {
        let mut random = [0; 8];
        // Without random bits the ids of two processes may meet, which only makes logs harder to read.
        let filled = getrandom::fill(&mut random);
        debug_assert!(filled.is_ok());
        Self {
            process: u64::from_le_bytes(random),
            next: AtomicU64::new(1),
        }
    }

    /// The client's id if it is fit to be repeated, otherwise a new one.
    pub fn context(&self, headers: &HeaderMap) -> RequestContext {
        let sent = headers.get(REQUEST_ID).filter(|id| is_sane(id.as_bytes()));
        RequestContext {
            id: sent.cloned().unwrap_or_else(|| self.make()),
            caller: OnceLock::new(),
        }
    }

    pub fn make(&self) -> HeaderValue {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:016x}-{number:x}", self.process);
        HeaderValue::try_from(id).unwrap_or(HeaderValue::from_static("unknown"))
    }
}

fn is_sane(id: &[u8]) -> bool {
    (1..=MAX_ID).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic)
}
