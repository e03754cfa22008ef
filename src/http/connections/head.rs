//! Taking requests in by their heads: how large each may be, and what those in flight take.

use std::sync::Arc;

use hyper::{
    Request, Version,
    body::Body,
    header::{HeaderMap, HeaderName},
};

use super::{
    connection::{Connection, InFlight},
    unread_bodies::{MAX_HTTP1_BYTES, UnreadBody},
};

use crate::{access::request_context::REQUEST_ID, http::client::FORWARDED_FOR};

/// The most bytes of a head, as HTTP/2 counts them (RFC 9113, section 6.5.2): names, values and 32 for each header.
pub const MAX_BYTES: usize = 32 * 1024;

/// The most headers of a request.
pub const MAX_HEADERS: usize = 64;

/// What HTTP/2 counts for each header beside its name and value.
const COUNTED_FOR_HEADER: usize = 32;

/// What a header takes in memory beside its name and value.
const MEMORY_OF_HEADER: usize = 128;

/// The bytes of memory for each byte of a head: it is a part of the buffers that it came in.
const MEMORY_OF_BYTE: usize = 2;

/// The headers that say how a refused request is counted, found again and ended, and the most bytes of one.
const KEPT: [&str; 5] = [REQUEST_ID, "authorization", FORWARDED_FOR, "connection", "expect"];
const MAX_KEPT_BYTES: usize = 512;

/// Why a request is refused for its head alone; kept with the request, which has no other headers then than those that
/// are needed to answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadRefusal {
    /// More than `MAX_BYTES` or `MAX_HEADERS`.
    TooLarge,
    /// Other requests take all the memory for heads, or for bodies.
    NoMemory,
}

/// A request that was taken in.
pub struct Admitted {
    pub in_flight: InFlight,
    /// A body that is still to come.
    pub body: Option<UnreadBody>,
    pub refusal: Option<HeadRefusal>,
}

/// Takes in a request whose head has arrived.
///
/// The protocols have limits of their own, against heads that would take memory before they are complete. These come with
/// an answer of the protocol, which on HTTP/2 has no body; so they are wider there than this one, which holds for both.
pub fn admit<B: Body>(connection: &Arc<Connection>, request: &mut Request<B>) -> Admitted {
    let headers = request.headers();
    let mut bytes = text(request);
    let is_too_large = headers.len() > MAX_HEADERS || bytes + COUNTED_FOR_HEADER * headers.len() > MAX_BYTES;
    if is_too_large {
        reduce(request);
        bytes = text(request);
    }
    let headers = request.headers();
    let places = headers.len().max(headers.capacity());
    let (in_flight, has_memory_for_head) = connection.begin(MEMORY_OF_BYTE * bytes + MEMORY_OF_HEADER * places);
    let announced = announced(request);
    let body = announced.and_then(|bytes| connection.begin_body(bytes));
    let has_memory_for_body = announced.is_none() || body.is_some();
    let has_memory = has_memory_for_head && has_memory_for_body;
    if !has_memory && !is_too_large {
        tracing::warn!("requests in flight take up the memory for heads or bodies");
        reduce(request);
    }
    let refusal = match (is_too_large, has_memory) {
        (true, _) => Some(HeadRefusal::TooLarge),
        (false, false) => Some(HeadRefusal::NoMemory),
        (false, true) => None,
    };
    Admitted {
        in_flight,
        body,
        refusal,
    }
}

/// The most bytes of a body that are kept while it waits. `None`: no body comes.
fn announced<B: Body>(request: &Request<B>) -> Option<u64> {
    let body = request.body();
    let max = match request.version() {
        Version::HTTP_2 => u64::MAX,
        _ => MAX_HTTP1_BYTES,
    };
    let announced = body.size_hint().upper().unwrap_or(u64::MAX);
    (!body.is_end_stream()).then_some(announced.min(max))
}

/// The bytes of the path and of all headers.
fn text<B>(request: &Request<B>) -> usize {
    let headers = request.headers().iter();
    let headers: usize = headers.map(|(name, value)| name.as_str().len() + value.len()).sum();
    let path = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    path + headers
}

/// Frees the headers of a request that is refused.
fn reduce<B>(request: &mut Request<B>) {
    let headers = std::mem::take(request.headers_mut());
    let mut kept = HeaderMap::new();
    for name in KEPT {
        if let Some(value) = headers.get(name).filter(|value| value.len() <= MAX_KEPT_BYTES) {
            kept.insert(HeaderName::from_static(name), value.clone());
        }
    }
    *request.headers_mut() = kept;
}
