//! Standard input and output of a child, without a thread and without the buffers of the standard library.

use std::{
    io::{self, Stdin, Stdout},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, read, write},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::frames::{self, LENGTH_BYTES};

/// Bytes that are read at once.
const READ_BYTES: usize = 256 * 1024;

/// Frames from the parent.
pub struct Input {
    stdin: Stdin,
    buffer: Vec<u8>,
    chunk: Vec<u8>,
}

/// What came of waiting for a frame.
pub enum Waited<Head> {
    Frame(Head, Vec<u8>),
    /// None has come in time.
    Nothing,
    /// The parent has gone.
    Closed,
}

impl Input {
    pub fn new() -> Self {
        Self {
            stdin: io::stdin(),
            buffer: Vec::new(),
            chunk: vec![0; READ_BYTES],
        }
    }

    /// Waits for a frame. `None`: for as long as it takes.
    pub fn next<Head: DeserializeOwned>(&mut self, timeout: Option<Duration>) -> io::Result<Waited<Head>> {
        loop {
            if let Some(frame) = self.take()? {
                let (head, bytes) = frames::decode(&frame)?;
                return Ok(Waited::Frame(head, bytes.to_vec()));
            }
            if !self.is_readable(timeout)? {
                return Ok(Waited::Nothing);
            }
            match read(&self.stdin, self.chunk.as_mut_slice()) {
                Ok(0) => return Ok(Waited::Closed),
                Ok(count) => self
                    .buffer
                    .extend_from_slice(self.chunk.get(..count).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn take(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some((length, rest)) = self.buffer.split_first_chunk::<LENGTH_BYTES>() else {
            return Ok(None);
        };
        let length = frames::length(*length)?;
        let Some(frame) = rest.get(..length).map(<[u8]>::to_vec) else {
            return Ok(None);
        };
        self.buffer.drain(..LENGTH_BYTES + length);
        Ok(Some(frame))
    }

    fn is_readable(&self, timeout: Option<Duration>) -> io::Result<bool> {
        let timeout = timeout.map(|timeout| Timespec {
            tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let mut ends = [PollFd::new(&self.stdin, PollFlags::IN)];
        match poll(&mut ends, timeout.as_ref()) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Frames to the parent.
pub struct Output(Stdout);

impl Output {
    pub fn new() -> Self {
        Self(io::stdout())
    }

    pub fn send(&self, head: &impl Serialize, bytes: &[u8]) -> io::Result<()> {
        let frame = frames::encode(head, &[bytes])?;
        let mut left = frame.as_slice();
        while !left.is_empty() {
            match write(&self.0, left) {
                Ok(count) => left = left.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
