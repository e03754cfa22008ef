//! The files that a run has fetched.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use entity::ids::ImportRunId;

/// The directory in the data directory with one directory for each run.
pub const SCRATCH: &str = "imports";

/// A directory that is removed with this.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes the directory of a run. What a killed run has left in it is removed.
    pub fn new(all: &Path, run: ImportRunId) -> io::Result<Self> {
        let scratch = Self(all.join(run.to_string()));
        scratch.remove()?;
        fs::create_dir_all(&scratch.0)?;
        Ok(scratch)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = self.remove() {
            tracing::warn!(%error, directory = %self.0.display(), "what an import has fetched cannot be removed");
        }
    }
}
