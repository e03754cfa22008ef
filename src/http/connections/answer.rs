//! The bodies of answers on their way to the client: in small parts, counted, and not for ever.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use openapi::work::{AnswerMemory, RequestMemory};
use poem::{
    Response,
    http::{HeaderValue, header},
};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};

use super::{
    TimeLimits,
    connection::{Connection, InFlight, Unsent, overloaded},
};

use crate::{access::request_context::REQUEST_ID, http::compression::EncoderMemory};

/// The protocol gets at most so many bytes at once: what it has cannot be taken back.
const PART: usize = 16 * 1024;

/// Answers above this size keep their slot until they are sent.
const LARGE: u64 = 64 * 1024;

/// An answer that the protocol has not taken yet.
struct Pending {
    /// None: it is through, or given up.
    content: Mutex<Option<Content>>,
    started: Instant,
}

struct Content {
    body: BoxBody<Bytes, io::Error>,
    /// The part of the body that was read from it and not handed over.
    rest: Bytes,
    handed_over: u64,
    progress: Instant,
    /// Its connection is busy, and its slot taken, as long as there is content.
    _in_flight: InFlight,
    _slot: Option<OwnedSemaphorePermit>,
}

impl Unsent for Pending {
    fn deadline(&self, times: &TimeLimits) -> Option<Instant> {
        let content = self.content();
        let content = content.as_ref()?;
        let at_lowest_rate = self.started + times.send + times.at_lowest_rate(content.handed_over);
        Some(at_lowest_rate.min(content.progress + times.send))
    }

    fn give_up(&self) {
        // Dropped after the lock: what is dropped takes the lock of the connection, under which others wait for this one.
        let content = self.content().take();
        drop(content);
    }
}

impl Pending {
    fn content(&self) -> MutexGuard<'_, Option<Content>> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of an answer, as the protocol takes it.
pub struct AnswerBody {
    connection: Arc<Connection>,
    pending: Arc<Pending>,
    number: u64,
    /// The length if it is known.
    length: Option<u64>,
    left: u64,
    /// What an answer without a known length has in memory, besides the part that was read and not handed over.
    memory: AnswerMemory,
    /// The memory of its encoder, until the end.
    encoder: usize,
    /// The bytes that are counted. Those of an answer with a known length are as many as were not handed over.
    counted: usize,
    over: bool,
}

/// Returns the answer with a body that is bounded. If there is no memory for it, another one says so; one with memory of its own waits
/// for that first.
pub async fn send(
    connection: &Arc<Connection>,
    response: Response,
    in_flight: InFlight,
    slot: Option<OwnedSemaphorePermit>,
) -> hyper::Response<AnswerBody> {
    let mut response = hyper::Response::from(response);
    let of_request = response.extensions_mut().remove::<RequestMemory>();
    let memory = of_request.as_ref().map(RequestMemory::answer).unwrap_or_default();
    let encoder = response.extensions_mut().remove::<EncoderMemory>();
    let encoder = encoder.map_or(0, |EncoderMemory(bytes)| bytes);
    let mut bytes = known_length(response.body()).unwrap_or_else(|| memory.get() + encoder);
    let fits = match &of_request {
        Some(memory) if memory.is_reserved() => connection.hold_in_time(bytes).await,
        _ => connection.hold(bytes),
    };
    drop(of_request);
    if !fits {
        response = refused(response.headers());
        // Not counted: it is small, and it has to be sent.
        bytes = 0;
    }
    let (parts, body) = response.into_parts();
    let length = body.size_hint().exact();
    let slot = slot.filter(|_| length.is_none_or(|length| length > LARGE));
    let now = Instant::now();
    let pending = Arc::new(Pending {
        content: Mutex::new(Some(Content {
            body,
            rest: Bytes::new(),
            handed_over: 0,
            progress: now,
            _in_flight: in_flight,
            _slot: slot,
        })),
        started: now,
    });
    let mut body = AnswerBody {
        number: connection.keep(Arc::clone(&pending) as _, bytes),
        connection: Arc::clone(connection),
        pending,
        length,
        left: length.unwrap_or_default(),
        memory,
        encoder,
        counted: bytes,
        over: false,
    };
    if length == Some(0) {
        body.end();
    }
    hyper::Response::from_parts(parts, body)
}

fn known_length(body: &impl Body) -> Option<usize> {
    usize::try_from(body.size_hint().exact()?).ok()
}

/// The answer instead of one that there is no memory for.
fn refused(headers: &header::HeaderMap) -> hyper::Response<BoxBody<Bytes, io::Error>> {
    tracing::warn!("answers that clients do not read take up the memory for answers");
    let id = headers.get(REQUEST_ID).cloned();
    let text = id.as_ref().and_then(|id| id.to_str().ok());
    let body = serde_json::to_vec(&overloaded().body(text)).unwrap_or_default();
    let mut response = overloaded().into_response();
    response.set_body(body);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(id) = id {
        headers.insert(REQUEST_ID, id);
    }
    response.into()
}

impl AnswerBody {
    /// Counts what is in memory of an answer without a known length; `false` if there is no room for it.
    fn recount(&mut self, unread: usize) -> bool {
        let bytes = self.memory.get().max(unread) + self.encoder;
        let fits = self.connection.recount(self.counted, bytes);
        if fits {
            self.counted = bytes;
        }
        fits
    }

    /// Cuts the answer off.
    fn break_off(&mut self, kind: io::ErrorKind, reason: &str) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.end();
        Poll::Ready(Some(Err(io::Error::new(kind, reason))))
    }

    /// Frees what the answer holds.
    fn end(&mut self) {
        if !std::mem::replace(&mut self.over, true) {
            self.pending.give_up();
            self.connection.done(self.number, self.counted);
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.over {
            return Poll::Ready(None);
        }
        let pending = Arc::clone(&self.pending);
        let mut guard = pending.content();
        let Some(content) = guard.as_mut() else {
            drop(guard);
            return self.break_off(io::ErrorKind::TimedOut, "the client did not read the answer");
        };
        let polled = content.poll_part(cx);
        let unread = content.rest.len();
        let is_over = content.is_over();
        drop(guard);
        if self.length.is_none() && !self.recount(unread) {
            tracing::warn!("an answer broke off: others that clients do not read take up the memory for answers");
            return self.break_off(
                io::ErrorKind::OutOfMemory,
                "there is no memory for the rest of the answer",
            );
        }
        let frame = ready!(polled);
        let handed_over = match &frame {
            Some(Ok(frame)) => frame.data_ref().map_or(0, Bytes::len),
            _ => 0,
        };
        self.connection.reads(handed_over);
        let ended = frame.is_none() || matches!(frame, Some(Err(_))) || is_over;
        if self.length.is_some() {
            let counted = handed_over.min(self.counted);
            self.counted -= counted;
            self.connection.handed_over(counted);
        }
        self.left = self.left.saturating_sub(handed_over as u64);
        if ended {
            self.end();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.over
    }

    fn size_hint(&self) -> SizeHint {
        match self.length {
            Some(_) => SizeHint::with_exact(self.left),
            None => SizeHint::new(),
        }
    }
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        self.end();
    }
}

impl Content {
    fn poll_part(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        while self.rest.is_empty() {
            let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(cx)) else {
                return Poll::Ready(None);
            };
            match frame.map(Frame::into_data) {
                Ok(Ok(data)) => self.rest = data,
                Ok(Err(trailers)) => return Poll::Ready(Some(Ok(trailers))),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
        // A part of a large answer is copied: a slice would keep the whole in memory until the part is sent.
        let part = match self.rest.len() {
            0..=PART => std::mem::take(&mut self.rest),
            _ => Bytes::copy_from_slice(&self.rest.split_to(PART)),
        };
        self.handed_over += part.len() as u64;
        self.progress = Instant::now();
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_over(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }
}
