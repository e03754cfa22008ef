//! Writing of archives, file by file. The same files give the same bytes.

use std::{
    io::{self, Write},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::mpsc;
use zip::{
    CompressionMethod, DateTime, PreparedZipFile, System, ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

/// The bytes that are sent at once.
const CHUNK: usize = 64 * 1024;
/// The chunks that wait for the reader.
const WAITING: usize = 4;

/// The endings of files that are compressed already.
const COMPRESSED: [&str; 14] = [
    "avif", "gif", "gz", "jpeg", "jpg", "mov", "mp3", "mp4", "pdf", "png", "webm", "webp", "woff2", "zip",
];

/// Starts an archive: what is put into the sink comes out of the stream. The sink waits while nobody reads.
///
/// A sink that is dropped before it is finished ends the stream with an error, so that nobody takes a part for the whole.
pub fn stream() -> (ZipSink, ZipBytes) {
    let (sender, receiver) = mpsc::channel(WAITING);
    let buffer = Buffer::default();
    // Files are compressed before they are added, so that their sizes stand before their bytes: some readers need this,
    // and the writer never goes back.
    let writer = ZipWriter::new(StreamWriter::new(buffer.clone()));
    let sink = ZipSink { writer, buffer, sender };
    let bytes = ZipBytes {
        receiver,
        has_ended: false,
    };
    (sink, bytes)
}

/// Takes the files of an archive.
pub struct ZipSink {
    writer: ZipWriter<StreamWriter<Buffer>>,
    /// Bytes written and not yet sent.
    buffer: Buffer,
    /// `None` is the end.
    sender: mpsc::Sender<Option<Bytes>>,
}

impl ZipSink {
    /// Adds a file with a path relative to the root, which no other file has. Fails if nobody reads any longer.
    pub async fn file(&mut self, path: impl Into<String>, bytes: impl Into<Bytes>) -> io::Result<()> {
        let (path, bytes) = (path.into(), bytes.into());
        let prepare = move || PreparedZipFile::from_data(&path, options(&path, &bytes), &bytes);
        let prepared = tokio::task::spawn_blocking(prepare).await??;
        self.writer.add_prepared_file(prepared)?;
        send(&self.sender, self.buffer.take(CHUNK)).await
    }

    /// Adds the directory, without which nobody can read the archive.
    pub async fn finish(self) -> io::Result<()> {
        self.writer.finish()?;
        send(&self.sender, self.buffer.take(0)).await?;
        self.sender.send(None).await.map_err(|_| nobody_reads())
    }
}

async fn send(sender: &mpsc::Sender<Option<Bytes>>, written: Vec<u8>) -> io::Result<()> {
    let mut rest = Bytes::from(written);
    while !rest.is_empty() {
        let chunk = rest.split_to(CHUNK.min(rest.len()));
        sender.send(Some(chunk)).await.map_err(|_| nobody_reads())?;
    }
    Ok(())
}

fn nobody_reads() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "nobody reads the archive")
}

fn options(path: &str, bytes: &[u8]) -> SimpleFileOptions {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    let is_compressed = ending.is_some_and(|ending| COMPRESSED.iter().any(|known| known.eq_ignore_ascii_case(ending)));
    let method = if is_compressed || bytes.is_empty() {
        CompressionMethod::Stored
    } else {
        CompressionMethod::Deflated
    };
    SimpleFileOptions::default()
        .compression_method(method)
        .last_modified_time(DateTime::DEFAULT)
        .system(System::Unix)
        .unix_permissions(0o644)
}

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    /// Takes what was written, or nothing if it is less.
    fn take(&self, least: usize) -> Vec<u8> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if written.len() < least {
            return Vec::new();
        }
        std::mem::take(&mut written)
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes of an archive, in pieces.
pub struct ZipBytes {
    receiver: mpsc::Receiver<Option<Bytes>>,
    has_ended: bool,
}

impl Stream for ZipBytes {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let received = ready!(self.receiver.poll_recv(context));
        Poll::Ready(match received {
            Some(Some(bytes)) => Some(Ok(bytes)),
            Some(None) => {
                self.has_ended = true;
                None
            }
            None => {
                self.has_ended = true;
                let message = "the archive was not finished";
                Some(Err(io::Error::new(io::ErrorKind::UnexpectedEof, message)))
            }
        })
    }
}
