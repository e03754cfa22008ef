//! The bytes of a connection: noted when they come in or go out, and when they do not.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::{connection::Connection, frames::FrameWatch, refusal};

pub struct Transport {
    stream: TcpStream,
    connection: Arc<Connection>,
    blocked: bool,
    /// The answer that goes out instead of one of the protocol without a body.
    refusal: Bytes,
    /// After a refusal, what the client goes on sending is taken in for some time: who is cut off while sending does not
    /// get to read the answer.
    linger: Option<Pin<Box<Sleep>>>,
    frames: FrameWatch,
    /// A head has begun and not ended, and is counted.
    is_head_open: bool,
}

/// The time in which a refused client has to stop sending.
const LINGER: Duration = Duration::from_secs(1);

impl Transport {
    pub fn new(stream: TcpStream, connection: Arc<Connection>) -> Self {
        Self {
            stream,
            connection,
            blocked: false,
            refusal: Bytes::new(),
            linger: None,
            frames: FrameWatch::default(),
            is_head_open: false,
        }
    }

    fn note<T>(&mut self, written: Poll<io::Result<T>>, bytes: impl Fn(&T) -> usize) -> Poll<io::Result<T>> {
        match &written {
            Poll::Ready(Ok(written)) => {
                self.blocked = false;
                self.connection.sent(bytes(written));
            }
            Poll::Pending if !self.blocked => {
                self.blocked = true;
                self.connection.blocked();
            }
            _ => {}
        }
        written
    }

    fn note_read(&mut self, bytes: &[u8]) {
        let is_head_open = self.frames.see(bytes);
        if is_head_open != self.is_head_open {
            self.is_head_open = if is_head_open {
                self.connection.hold_open_head()
            } else {
                self.connection.release_open_head();
                false
            };
        }
    }

    fn poll_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.refusal.has_remaining() {
            let written = Pin::new(&mut self.stream).poll_write(cx, &self.refusal);
            let written = ready!(self.note(written, |bytes| *bytes))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.refusal.advance(written);
        }
        Poll::Ready(Ok(()))
    }

    /// Returns whether the bytes are an answer of the protocol itself; then another one with a body goes out instead.
    fn replaces(&mut self, bytes: &[u8]) -> bool {
        if !self.connection.is_quiet() {
            return false;
        }
        match refusal::with_body(bytes, || self.connection.request_id()) {
            Some(refusal) => {
                self.refusal = refusal;
                self.linger = Some(Box::pin(sleep(LINGER)));
                true
            }
            None => {
                self.connection.speaks();
                false
            }
        }
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        if self.is_head_open {
            self.connection.release_open_head();
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.note_read(buffer.filled().split_at(before).1);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Transport {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_refusal(cx))?;
        if self.replaces(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(written, |bytes| *bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_refusal(cx))?;
        if let [single] = parts
            && self.replaces(single)
        {
            return Poll::Ready(Ok(single.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.note(written, |bytes| *bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_refusal(cx))?;
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.connection.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_refusal(cx))?;
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        let transport = &mut *self;
        let Some(linger) = &mut transport.linger else {
            return Poll::Ready(Ok(()));
        };
        let mut bytes = [0; 4096];
        while linger.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut transport.stream).poll_read(cx, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }
}
