//! The bodies of answers on their way to the client: in small parts, so that it shows whether the client takes them.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use openapi::work::RequestPermits;
use poem::Response;
use tokio::time::Instant;

use super::{InFlight, patience::Patience};

/// The protocol gets at most so many bytes at once.
const PART: usize = 16 * 1024;

/// The body of an answer, as the protocol takes it.
pub struct AnswerBody {
    body: BoxBody<Bytes, io::Error>,
    /// The part of the body that was read from it and not handed over.
    rest: Bytes,
    sending: Arc<Sending>,
}

/// An answer until its last part is sent.
pub struct Sending {
    state: Mutex<State>,
    _in_flight: InFlight,
    _permits: Option<RequestPermits>,
}

struct State {
    patience: Patience,
    /// The parts that the protocol has and has not sent.
    parts: usize,
}

/// A part of an answer, until it is sent.
pub struct Part {
    bytes: Bytes,
    length: usize,
    sending: Arc<Sending>,
}

/// Returns the answer with a body that is bounded.
pub fn send(response: Response, in_flight: InFlight) -> hyper::Response<AnswerBody> {
    let mut response = hyper::Response::from(response);
    let permits = response.extensions_mut().remove::<RequestPermits>();
    let activity = Arc::clone(&in_flight.activity);
    let sending = Arc::new(Sending {
        state: Mutex::new(State {
            patience: Patience::new(activity.times.send, activity.times.rate),
            parts: 0,
        }),
        _in_flight: in_flight,
        _permits: permits,
    });
    activity.watch(&sending);
    response.map(|body| AnswerBody {
        body,
        rest: Bytes::new(),
        sending,
    })
}

impl Sending {
    /// When the wait for the client is over; `None` if the server does not wait for it.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.state().patience.deadline()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Part {
    fn new(bytes: Bytes, sending: &Arc<Sending>) -> Self {
        let mut state = sending.state();
        state.parts += 1;
        state.patience.wait();
        drop(state);
        Self {
            length: bytes.len(),
            bytes,
            sending: Arc::clone(sending),
        }
    }
}

impl Buf for Part {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut state = self.sending.state();
        state.parts = state.parts.saturating_sub(1);
        state.patience.go_on(self.length);
        if state.parts > 0 {
            state.patience.wait();
        }
    }
}

impl AnswerBody {
    fn poll_part(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        while self.rest.is_empty() {
            let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(cx)?) else {
                return Poll::Ready(None);
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let part = self.rest.split_to(self.rest.len().min(PART));
        Poll::Ready(Some(Ok(Frame::data(part))))
    }
}

impl Body for AnswerBody {
    type Data = Part;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Part>>>> {
        let frame = ready!(self.poll_part(cx)?);
        let sending = &self.sending;
        Poll::Ready(frame.map(|frame| Ok(frame.map_data(|bytes| Part::new(bytes, sending)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match self.body.size_hint().exact() {
            Some(length) => SizeHint::with_exact(length + self.rest.len() as u64),
            None => SizeHint::new(),
        }
    }
}
