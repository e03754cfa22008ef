//! The bodies of requests on their way in: the client may not make the server wait for ever.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::{
    sync::watch,
    time::{Instant, Sleep, sleep_until},
};

use super::TimeLimits;

/// Whether the body of a request came too slowly; kept with the request.
#[derive(Clone, Default)]
pub struct UploadStatus(Arc<AtomicBool>);

impl UploadStatus {
    pub fn is_overdue(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The body of a request.
pub struct Upload {
    body: Incoming,
    times: TimeLimits,
    received: u64,
    /// How long the server has waited for bytes, and since when it waits now.
    waited: Duration,
    waiting_since: Option<Instant>,
    status: UploadStatus,
    stopping: watch::Receiver<bool>,
    stopping_since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    stop: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
}

impl Upload {
    pub fn new(body: Incoming, times: TimeLimits, status: UploadStatus, stopping: watch::Receiver<bool>) -> Self {
        Self {
            body,
            times,
            received: 0,
            waited: Duration::ZERO,
            waiting_since: None,
            status,
            stopping,
            stopping_since: None,
            timer: None,
            stop: None,
        }
    }

    /// When the wait that began at `since` is over. Time that the server itself takes between two reads does not count.
    fn deadline(&self, since: Instant) -> Instant {
        let in_all = self.times.receive + self.times.at_lowest_rate(self.received);
        let deadline = since + in_all.saturating_sub(self.waited).min(self.times.receive);
        match self.stopping_since {
            Some(stopping) => deadline.min(since.max(stopping) + self.times.receive_at_stop),
            None => deadline,
        }
    }

    fn poll_overdue(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let now = Instant::now();
        let since = *self.waiting_since.get_or_insert(now);
        if self.stopping_since.is_none() {
            let mut stopping = self.stopping.clone();
            let stop = self.stop.get_or_insert_with(|| {
                // The sender lives as long as the server.
                Box::pin(async move { drop(stopping.wait_for(|stopping| *stopping).await) })
            });
            if stop.as_mut().poll(cx).is_ready() {
                self.stopping_since = Some(now);
            }
        }
        let deadline = self.deadline(since);
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(cx)
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            if let Some(since) = self.waiting_since.take() {
                self.waited += since.elapsed();
            }
            if let Some(Ok(frame)) = &frame {
                self.received += frame.data_ref().map_or(0, |data| data.len() as u64);
            }
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
