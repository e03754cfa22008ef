//! Typesetting, in processes of its own: a text that takes too much time or memory is the end of its process only.

use std::{
    path::PathBuf,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use anyhow::Context;
use platform::{
    blobs::{BlobStorage, StoredBlob},
    config::Settings,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    time::timeout,
};

/// The hidden command of the program that typesets.
pub const COMMAND: &str = "typeset";

/// The largest PDF, in bytes.
const MAX_PDF_BYTES: u64 = 160 * 1024 * 1024;

/// How much of the messages of a process is logged, in bytes.
const MAX_MESSAGES: u64 = 2000;

/// More would go beyond the time that a job has.
const MAX_TIME: Duration = Duration::from_secs(10 * 60);

/// Limits of a picture, for which a reader waits.
const PICTURE_MEMORY: usize = 512 * 1024 * 1024;
const PICTURE_TIME: Duration = Duration::from_secs(5);

/// Threads of a process.
const THREADS: u32 = 2;

/// The program that typesets, and its limits.
pub struct Printer {
    program: Option<PathBuf>,
    fonts: Vec<PathBuf>,
    memory: usize,
    time_limit: Duration,
    pub processes: usize,
    /// How long a response waits.
    pub wait: Duration,
}

/// The input of a process: frames, and the images after them. The process makes a PDF, or a picture in place of it.
pub struct Manuscript {
    pub frames: Vec<Vec<u8>>,
    pub images: Vec<StoredBlob>,
}

/// Why there is no PDF.
#[derive(Debug)]
pub enum PrintError {
    /// The process went beyond a limit, or failed. The message is for readers.
    Refused(&'static str),
    /// The server itself failed, and may succeed later.
    Server(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for PrintError {
    fn from(error: E) -> Self {
        Self::Server(error.into())
    }
}

impl Printer {
    pub fn new(settings: &Settings) -> Self {
        Self {
            program: settings.pdf_program.clone(),
            fonts: settings.pdf_fonts.clone(),
            memory: settings.pdf_memory,
            time_limit: settings.pdf_timeout.min(MAX_TIME),
            processes: settings.pdf_processes,
            // A response that waits longer would meet the time limit of requests.
            wait: settings.pdf_wait.min(settings.request_timeout / 2),
        }
    }

    /// Returns whether there is a typesetter: the program has one unless it was built without the feature `pdf`.
    pub fn is_there(&self) -> bool {
        print::HAS_TYPESETTER || self.program.is_some()
    }

    /// Typesets in a new process, and returns the PDF.
    pub async fn print(&self, manuscript: Manuscript, store: &BlobStorage) -> Result<Vec<u8>, PrintError> {
        self.run(manuscript, store, (self.memory, self.time_limit)).await
    }

    /// The same for a picture.
    pub async fn draw(&self, manuscript: Manuscript, store: &BlobStorage) -> Result<Vec<u8>, PrintError> {
        let limits = (self.memory.min(PICTURE_MEMORY), self.time_limit.min(PICTURE_TIME));
        self.run(manuscript, store, limits).await
    }

    async fn run(
        &self,
        manuscript: Manuscript,
        store: &BlobStorage,
        limits: (usize, Duration),
    ) -> Result<Vec<u8>, PrintError> {
        if !self.is_there() {
            return Err(PrintError::Refused(NO_TYPESETTER));
        }
        let mut child = self.start(limits).context("cannot start the process that typesets")?;
        let ends = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(messages)) = ends else {
            return Err(anyhow::anyhow!("the process that typesets has no pipes").into());
        };
        let work = async { tokio::join!(feed(input, manuscript, store), read(output, messages), wait(&mut child)) };
        let Ok((fed, read, status)) = timeout(limits.1, work).await else {
            return Err(PrintError::Refused(TOO_SLOW));
        };
        let status = status.context("cannot wait for the process that typesets")?;
        let (pdf, messages) = read.context("cannot read from the process that typesets")?;
        if !status.success() {
            // A store that cannot be read leaves the process without the rest of its input.
            fed?;
            tracing::warn!(%status, messages, "a PDF could not be made");
            return Err(failure(status));
        }
        fed?;
        match u64::try_from(pdf.len()) {
            Ok(length) if length <= MAX_PDF_BYTES => Ok(pdf),
            _ => Err(PrintError::Refused(TOO_LARGE)),
        }
    }

    fn start(&self, (memory, time_limit): (usize, Duration)) -> std::io::Result<Child> {
        let program = match &self.program {
            Some(program) => program.clone(),
            None => std::env::current_exe()?,
        };
        let mut command = Command::new(program);
        command
            .arg(COMMAND)
            .arg("--data-limit")
            .arg(memory.to_string())
            .arg("--seconds")
            .arg(time_limit.as_secs().max(1).saturating_mul(THREADS.into()).to_string());
        for folder in &self.fonts {
            command.arg("--fonts").arg(folder);
        }
        // The secrets of the server are in its environment.
        command
            .env_clear()
            .env("RAYON_NUM_THREADS", THREADS.to_string())
            // What the allocator reserves when it starts, a gigabyte, would not count against the limit on memory.
            .env("MIMALLOC_ARENA_RESERVE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
    }
}

/// The language of the typesetter, and the region.
pub fn locale(language: &str) -> (String, Option<String>) {
    match language.split_once('-') {
        Some((language, region)) if region.len() == 2 => (language.to_owned(), Some(region.to_ascii_uppercase())),
        Some((language, _)) => (language.to_owned(), None),
        None => (language.to_owned(), None),
    }
}

pub const NO_TYPESETTER: &str = "This server makes no PDFs.";
const TOO_SLOW: &str = "Making the PDF takes too much time. Ask for the PDF of a page.";
const TOO_LARGE: &str = "Making the PDF takes too much memory. Ask for the PDF of a page.";
const FAILED: &str = "The content cannot be typeset. The log of the server has the reason.";

/// A process that goes beyond its memory aborts; beyond its time, the system ends it. What is killed is mostly so for want of
/// memory of the whole system. The other signals are sent to the processes of a service that stops.
fn failure(status: ExitStatus) -> PrintError {
    use std::os::unix::process::ExitStatusExt;
    const HANG_UP: i32 = 1;
    const INTERRUPT: i32 = 2;
    const ABORT: i32 = 6;
    const KILL: i32 = 9;
    const TERMINATE: i32 = 15;
    const CPU_TIME: i32 = 24;
    match status.signal() {
        Some(CPU_TIME) => PrintError::Refused(TOO_SLOW),
        Some(ABORT | KILL) => PrintError::Refused(TOO_LARGE),
        Some(HANG_UP | INTERRUPT | TERMINATE) => anyhow::anyhow!("the process that typesets was stopped").into(),
        _ => PrintError::Refused(FAILED),
    }
}

async fn wait(child: &mut Child) -> std::io::Result<ExitStatus> {
    child.wait().await
}

/// Fails if an image cannot be loaded. That a process takes no more, it says itself.
async fn feed(mut input: ChildStdin, manuscript: Manuscript, store: &BlobStorage) -> anyhow::Result<()> {
    for frame in manuscript.frames {
        if input.write_all(&frame).await.is_err() {
            return Ok(());
        }
    }
    for image in manuscript.images {
        let bytes = store.read(image.name).await?;
        if input.write_all(&bytes).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

async fn read(output: ChildStdout, messages: ChildStderr) -> std::io::Result<(Vec<u8>, String)> {
    let (mut pdf, mut text) = (Vec::new(), Vec::new());
    let (mut output, mut messages) = (output.take(MAX_PDF_BYTES + 1), messages.take(MAX_MESSAGES));
    let (read, _) = tokio::join!(output.read_to_end(&mut pdf), messages.read_to_end(&mut text));
    read?;
    Ok((pdf, String::from_utf8_lossy(&text).into_owned()))
}
