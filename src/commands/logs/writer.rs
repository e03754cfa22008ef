//! The thread that writes the log: requests do not wait for a slow reader of the log.

use std::{
    io::{self, Write},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use tracing_subscriber::fmt::MakeWriter;

/// The most bytes that wait to be written: seconds of a busy server. Further lines are lost.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Lines are collected for this time or until they have [`BATCH_BYTES`], so that one call of the system writes many.
const COLLECT: Duration = Duration::from_millis(20);

/// More bytes would leave the cache of the processor before they are written.
const BATCH_BYTES: usize = 64 * 1024;

/// Lines that wait to be written.
#[derive(Clone, Default)]
pub struct LineBuffer(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// The number of lines that found no room.
    lost: u64,
    is_stopped: bool,
}

impl LineBuffer {
    pub fn push(&self, line: &[u8]) {
        let mut waiting = self.waiting();
        if waiting.is_stopped || waiting.bytes.len().saturating_add(line.len()) > MAX_BYTES {
            waiting.lost = waiting.lost.saturating_add(1);
            return;
        }
        let before = waiting.bytes.len();
        waiting.bytes.extend_from_slice(line);
        let is_full = waiting.bytes.len() >= BATCH_BYTES;
        drop(waiting);
        if before == 0 || (is_full && before < BATCH_BYTES) {
            self.0.changed.notify_one();
        }
    }

    /// Waits for lines and moves them to `lines`. Returns how many were lost before, and whether these are the last ones.
    pub fn take(&self, lines: &mut Vec<u8>) -> (u64, bool) {
        let is_idle = |waiting: &mut Waiting| waiting.bytes.is_empty() && waiting.lost == 0 && !waiting.is_stopped;
        let waiting = self.0.changed.wait_while(self.waiting(), is_idle);
        let waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        let collected = self.0.changed.wait_timeout_while(waiting, COLLECT, |waiting| {
            !waiting.is_stopped && waiting.bytes.len() < BATCH_BYTES
        });
        let (mut waiting, _) = collected.unwrap_or_else(PoisonError::into_inner);
        mem::swap(&mut waiting.bytes, lines);
        (mem::take(&mut waiting.lost), waiting.is_stopped)
    }

    pub fn stop(&self) {
        self.waiting().is_stopped = true;
        self.0.changed.notify_one();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for &LineBuffer {
    /// Called with one whole line at a time.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LineBuffer {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> &'a Self {
        self
    }
}

/// The running thread.
pub struct LineWriter {
    lines: LineBuffer,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl LineWriter {
    pub fn start(lines: LineBuffer, output: impl Write + Send + 'static) -> io::Result<Self> {
        let source = lines.clone();
        let thread = thread::Builder::new().name("log".to_owned());
        let thread = thread.spawn(move || write_all(&source, output))?;
        Ok(Self {
            lines,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Writes what waits, and ends the thread.
    pub fn stop(&self) {
        self.lines.stop();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // Fails if the thread has panicked.
            drop(thread.join());
        }
    }
}

fn write_all(source: &LineBuffer, mut output: impl Write) {
    let mut lines = Vec::new();
    loop {
        let (lost, is_last) = source.take(&mut lines);
        // There is no other place to report a failure.
        drop(output.write_all(&lines));
        lines.clear();
        if lost > 0 {
            tracing::warn!(
                lines = lost,
                "lines of the log were lost, because they were not read fast enough"
            );
        }
        if is_last {
            drop(output.flush());
            return;
        }
    }
}
