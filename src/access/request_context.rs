//! The contexts of requests, and their ids.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use platform::request_context::RequestContext;
use poem::{
    Request,
    http::{HeaderMap, HeaderValue},
};

pub const REQUEST_ID: &str = "x-request-id";

/// The address of the client, behind trusted proxies; kept with the request by the server.
#[derive(Clone, Copy)]
pub struct ClientAddress(pub IpAddr);

/// Longer ids of clients are replaced.
const MAX_ID: usize = 128;

/// The context of a request that passes through the service; `None` in a test that calls an area directly.
pub fn of(request: &Request) -> Option<&Arc<RequestContext>> {
    request.data::<Arc<RequestContext>>()
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
        let sent = sent.and_then(|id| id.to_str().ok()).map(str::to_owned);
        RequestContext::new(sent.unwrap_or_else(|| self.make()))
    }

    pub fn make(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}-{number:x}", self.process)
    }
}

fn is_sane(id: &[u8]) -> bool {
    (1..=MAX_ID).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic)
}

/// The id of a request as a header.
pub fn header_of(context: &RequestContext) -> HeaderValue {
    HeaderValue::from_str(context.request_id()).unwrap_or(HeaderValue::from_static("unknown"))
}
