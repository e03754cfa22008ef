//! The destination of an archive: a file, standard output, or an object of an S3-compatible store. Nothing is seen of it before it is complete.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Stdout, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use tempfile::NamedTempFile;
use tokio::{runtime::Handle, task::block_in_place};
use tokio_util::io::SyncIoBridge;

use crate::{
    blobs::{ObjectWriter, object_writer},
    config::BlobAddress,
};

/// Bytes of one part of an upload. A store takes 10,000 parts: archives up to 320 GiB.
const PART_SIZE: usize = 32 << 20;

/// Bytes that are written to a file at once.
const BUFFER: usize = 256 << 10;

/// Files in the making begin with this.
const PART: &str = ".bindery-backup-";

/// An archive in the making. Writing keeps the thread busy.
pub struct Output(Kind);

enum Kind {
    File {
        part: BufWriter<NamedTempFile>,
        path: PathBuf,
    },
    Stdout(Stdout),
    Object(SyncIoBridge<ObjectWriter>),
}

impl Output {
    pub fn stdout() -> Self {
        Self(Kind::Stdout(io::stdout()))
    }

    /// A file, which replaces one of the same name when it is complete. Removes what killed processes left beside it.
    pub fn file(path: PathBuf) -> anyhow::Result<Self> {
        ensure!(
            path.file_name().is_some() && !path.is_dir(),
            "{} is not a file",
            path.display()
        );
        let directory = directory_of(&path);
        let create = || {
            remove_unfinished(directory)?;
            let part = tempfile::Builder::new().prefix(PART).tempfile_in(directory)?;
            // The lock keeps the file from being removed. A file system without locks lets nobody lock it to remove it, either.
            drop(part.as_file().try_lock());
            io::Result::Ok(part)
        };
        let part = create().with_context(|| format!("cannot write to {}", directory.display()))?;
        Ok(Self(Kind::File {
            part: BufWriter::with_capacity(BUFFER, part),
            path,
        }))
    }

    pub fn object(address: &BlobAddress) -> anyhow::Result<Self> {
        let writer = object_writer(address, PART_SIZE)?;
        Ok(Self(Kind::Object(SyncIoBridge::new(writer))))
    }

    /// Makes the archive visible, and durable in a file.
    pub fn commit(self) -> anyhow::Result<()> {
        match self.0 {
            Kind::File { part, path } => {
                let part = part.into_inner()?;
                part.as_file().sync_all()?;
                part.persist(&path)?;
                File::open(directory_of(&path))?.sync_all()?;
            }
            Kind::Stdout(mut output) => output.flush()?,
            Kind::Object(mut output) => block_in_place(|| output.shutdown())?,
        }
        Ok(())
    }

    /// Removes what was written.
    pub fn discard(self) {
        if let Kind::Object(output) = self.0 {
            let mut writer = output.into_inner();
            if let Err(error) = block_in_place(|| Handle::current().block_on(writer.abort())) {
                tracing::warn!(%error, "the parts of an upload that failed cannot be removed from the bucket");
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::File { part, .. } => part.write(bytes),
            Kind::Stdout(output) => output.write(bytes),
            Kind::Object(output) => block_in_place(|| output.write(bytes)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::File { part, .. } => part.flush(),
            Kind::Stdout(output) => output.flush(),
            Kind::Object(output) => block_in_place(|| output.flush()),
        }
    }
}

/// Removes unfinished files whose process is gone: those of running ones are locked.
fn remove_unfinished(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_part = entry.file_name().to_string_lossy().starts_with(PART) && entry.file_type()?.is_file();
        if is_part && File::open(entry.path()).is_ok_and(|part| part.try_lock().is_ok()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The directory of a file.
fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_processes_that_are_gone_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        for name in [".bindery-backup-killed", "a.tar"] {
            fs::write(place(name), "").unwrap();
        }
        let running = Output::file(place("a.tar")).unwrap();
        assert!(!place(".bindery-backup-killed").exists());
        Output::file(place("b.tar")).unwrap().commit().unwrap();
        running.commit().unwrap();
        let left = fs::read_dir(directory.path()).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["a.tar", "b.tar"]);
    }
}
