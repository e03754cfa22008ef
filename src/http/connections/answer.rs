//! The bodies of answers on their way to the client: in small parts, so that it shows whether the client takes them.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};
use openapi::work::RequestMemory;
use poem::{
    Response,
    http::{HeaderMap, HeaderValue, header},
};

use super::{InFlight, patience::Patience};
use crate::{access::request_context::REQUEST_ID, http::errors};

/// The protocol gets at most so many bytes at once.
const PART: usize = 16 * 1024;

/// The body of an answer, as the protocol takes it.
pub struct AnswerBody {
    body: BoxBody<Bytes, io::Error>,
    /// The part of the body that was read from it and not handed over.
    rest: Bytes,
    /// The bytes of the part that was handed over last.
    handed_over: usize,
    patience: Arc<Mutex<Patience>>,
    /// Until the last part is handed over.
    held: Option<(InFlight, Option<RequestMemory>)>,
}

/// Returns the answer with a body that is bounded. If there is no memory for it, another one says so.
pub async fn send(response: Response, in_flight: InFlight) -> hyper::Response<AnswerBody> {
    let mut response = hyper::Response::from(response);
    let memory = response.extensions_mut().remove::<RequestMemory>();
    let length = response.body().size_hint().exact();
    if let (Some(memory), Some(length)) = (&memory, length)
        && memory
            .keep_for_answer(usize::try_from(length).unwrap_or(usize::MAX))
            .await
            .is_err()
    {
        response = refused(response.headers());
    }
    let activity = &in_flight.activity;
    let patience = Patience::new(activity.times.send, activity.times.rate);
    let patience = Arc::new(Mutex::new(patience));
    activity.watch(&patience);
    response.map(|body| AnswerBody {
        body,
        rest: Bytes::new(),
        handed_over: 0,
        patience,
        held: Some((in_flight, memory)),
    })
}

/// The answer instead of one that there is no memory for.
fn refused(headers: &HeaderMap) -> hyper::Response<BoxBody<Bytes, io::Error>> {
    tracing::warn!("answers that clients do not read take up the memory for answers");
    let id = headers.get(REQUEST_ID).cloned();
    let error = errors::no_memory_for_request();
    let body = serde_json::to_vec(&error.body(id.as_ref().and_then(|id| id.to_str().ok()))).unwrap_or_default();
    let mut response = error.into_response();
    response.set_body(body);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(id) = id {
        headers.insert(REQUEST_ID, id);
    }
    response.into()
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

    fn patience(&self) -> MutexGuard<'_, Patience> {
        self.patience.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        // The protocol asks for more when the client has room for it.
        let handed_over = std::mem::take(&mut self.handed_over);
        self.patience().go_on(handed_over);
        let polled = ready!(self.poll_part(cx));
        if let Some(Ok(frame)) = &polled {
            self.handed_over = frame.data_ref().map_or(0, Bytes::len);
            self.patience().wait();
        }
        if self.is_end_stream() || !matches!(polled, Some(Ok(_))) {
            self.held = None;
        }
        Poll::Ready(polled)
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        match body.exact() {
            Some(length) => SizeHint::with_exact(length + rest),
            None => SizeHint::new(),
        }
    }
}
