//! The bodies of requests on their way in: the client may not make the server wait for ever.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::{
    Request, Version,
    body::{Body, Frame, Incoming, SizeHint},
    header::{CONNECTION, EXPECT, HeaderValue},
};
use tokio::{
    runtime::Handle,
    sync::watch,
    time::{Instant, Sleep, sleep_until},
};

use super::{TimeLimits, patience::Patience};

/// The most bytes that are read of a body that nobody wants, so that the connection can serve the next request.
const MAX_UNWANTED: u64 = 1024 * 1024;

/// Whether the body of a request came too slowly; kept with the request.
#[derive(Clone, Default)]
pub struct UploadStatus(Arc<AtomicBool>);

impl UploadStatus {
    pub fn is_overdue(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The body of a request. What is left of a short one is read when it is dropped: a connection with unread bytes is closed, and its
/// client may have sent the next request by then.
pub struct Upload {
    /// `None`: the body has failed.
    body: Option<Receiving>,
    is_read_when_dropped: bool,
}

impl Upload {
    pub fn new(
        request: Request<Incoming>,
        times: TimeLimits,
        status: UploadStatus,
        stopping: watch::Receiver<bool>,
    ) -> Request<Self> {
        let closes = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"close");
        let headers = request.headers();
        // Whoever expects to be told to go on sends nothing after a refusal, and streams of HTTP/2 end by themselves.
        let is_read_when_dropped = request.version() == Version::HTTP_11
            && !headers.contains_key(EXPECT)
            && !headers.get_all(CONNECTION).iter().any(closes);
        request.map(|body| Self {
            body: Some(Receiving::new(body, times, status, stopping)),
            is_read_when_dropped,
        })
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let Some(mut body) = self
            .body
            .take()
            .filter(|body| self.is_read_when_dropped && body.is_short())
        else {
            return;
        };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { while let Some(Ok(_)) = body.frame().await {} });
        }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let frame = Pin::new(body).poll_frame(cx);
        if let Poll::Ready(Some(Err(_))) = &frame {
            self.body = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, Body::size_hint)
    }
}

/// A body whose client keeps within the limits of time.
struct Receiving {
    body: Incoming,
    times: TimeLimits,
    patience: Patience,
    status: UploadStatus,
    stopping: watch::Receiver<bool>,
    stopping_since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    stop: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
}

impl Receiving {
    fn new(body: Incoming, times: TimeLimits, status: UploadStatus, stopping: watch::Receiver<bool>) -> Self {
        Self {
            body,
            times,
            patience: Patience::new(times.receive, times.rate),
            status,
            stopping,
            stopping_since: None,
            timer: None,
            stop: None,
        }
    }

    /// Returns whether bytes are left that are few enough to read for nothing.
    fn is_short(&self) -> bool {
        let left = self.body.size_hint().upper();
        !self.body.is_end_stream() && left.is_some_and(|left| left <= MAX_UNWANTED)
    }

    fn poll_overdue(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let since = self.patience.wait();
        if self.stopping_since.is_none() {
            let mut stopping = self.stopping.clone();
            let stop = self.stop.get_or_insert_with(|| {
                // The sender lives as long as the server.
                Box::pin(async move { drop(stopping.wait_for(|stopping| *stopping).await) })
            });
            if stop.as_mut().poll(cx).is_ready() {
                self.stopping_since = Some(Instant::now());
            }
        }
        let stopping = self
            .stopping_since
            .map(|stopping| since.max(stopping) + self.times.receive_at_stop);
        let Some(deadline) = self.patience.deadline().into_iter().chain(stopping).min() else {
            return Poll::Pending;
        };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(cx)
    }
}

impl Body for Receiving {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            let received = frame.iter().flatten().filter_map(Frame::data_ref);
            self.patience.go_on(received.map(Bytes::len).sum());
            return Poll::Ready(frame.map(|frame| frame.map_err(io::Error::other)));
        }
        if self.poll_overdue(cx).is_pending() {
            return Poll::Pending;
        }
        self.status.0.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the body came too slowly",
        ))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
