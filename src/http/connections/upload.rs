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
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::{
    sync::watch,
    time::{Instant, Sleep, sleep, sleep_until},
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
    started: Instant,
    progress: Instant,
    received: u64,
    status: UploadStatus,
    stopping: watch::Receiver<bool>,
    /// While the server waits for bytes.
    timer: Option<Pin<Box<Sleep>>>,
    stopped: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
}

impl Upload {
    pub fn new(body: Incoming, times: TimeLimits, status: UploadStatus, stopping: watch::Receiver<bool>) -> Self {
        let now = Instant::now();
        Self {
            body,
            times,
            started: now,
            progress: now,
            received: 0,
            status,
            stopping,
            timer: None,
            stopped: None,
        }
    }

    fn deadline(&self) -> Instant {
        let at_lowest_rate = self.started + self.times.receive + self.times.at_lowest_rate(self.received);
        at_lowest_rate.min(self.progress + self.times.receive)
    }

    fn poll_overdue(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = self.deadline();
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        while timer.as_mut().poll(cx).is_ready() {
            if deadline <= Instant::now() {
                return Poll::Ready(());
            }
            // Bytes came after the timer was set.
            timer.as_mut().reset(deadline);
        }
        let (mut stopping, patience) = (self.stopping.clone(), self.times.receive_at_stop);
        let stopped = self.stopped.get_or_insert_with(|| {
            Box::pin(async move {
                // The sender lives as long as the server.
                drop(stopping.wait_for(|stopping| *stopping).await);
                sleep(patience).await;
            })
        });
        stopped.as_mut().poll(cx)
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            self.progress = Instant::now();
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
