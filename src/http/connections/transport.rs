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
    sent_frames: FrameWatch,
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
            sent_frames: FrameWatch::of_server(),
            is_head_open: false,
        }
    }

    /// Notes how many bytes of these parts were written.
    fn note(&mut self, written: Poll<io::Result<usize>>, parts: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Ready(Ok(written)) => {
                self.blocked = false;
                let sent = self.sent_of_answers(*written, parts);
                self.connection.sent(sent);
            }
            Poll::Pending if !self.blocked => {
                self.blocked = true;
                self.connection.blocked();
            }
            _ => {}
        }
        written
    }

    /// Returns how many bytes of the bodies of answers are among those that were written. On HTTP/2, clients may ask for other bytes as
    /// often as they like.
    fn sent_of_answers(&mut self, written: usize, parts: &[IoSlice<'_>]) -> usize {
        if !self.frames.is_http2() {
            return written;
        }
        let (mut left, mut sent) = (written, 0);
        for part in parts {
            let (bytes, _) = part.split_at(left.min(part.len()));
            sent += self.sent_frames.see(bytes).data;
            left -= bytes.len();
        }
        sent
    }

    /// Notes bytes that have come; `false` if there is no memory for what they make the protocol keep.
    fn note_read(&mut self, bytes: &[u8]) -> bool {
        let seen = self.frames.see(bytes);
        if !self.connection.note_trailers(seen.trailers) {
            return false;
        }
        if seen.is_head_open == self.is_head_open {
            return true;
        }
        if seen.is_head_open {
            self.is_head_open = self.connection.hold_open_head();
            return self.is_head_open;
        }
        self.connection.release_open_head();
        self.is_head_open = false;
        true
    }

    fn poll_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.refusal.has_remaining() {
            let refusal = self.refusal.clone();
            let written = Pin::new(&mut self.stream).poll_write(cx, &refusal);
            let written = ready!(self.note(written, &[IoSlice::new(&refusal)]))?;
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
        if self.note_read(buffer.filled().split_at(before).1) {
            return Poll::Ready(Ok(()));
        }
        // The protocol does not get to see these bytes.
        buffer.set_filled(before);
        Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()))
    }
}

impl AsyncWrite for Transport {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_refusal(cx))?;
        if self.replaces(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(written, &[IoSlice::new(bytes)])
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
        self.note(written, parts)
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
