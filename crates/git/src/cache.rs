//! The directory of one repository: what was fetched, and a lock.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    Git, GitError,
    limits::CACHE_FILES,
    process::{Call, Ended},
};

/// The configuration of the repository. After a fetch with a filter, git has put into it that missing objects can be fetched
/// when they are read, and versions before 2.45 fail then where they should say that an object is missing.
const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n";

/// A cache, locked for one task of one process. What is in it may vanish at any time.
#[derive(Debug)]
pub struct Cache {
    pub(crate) git: Git,
    root: PathBuf,
    pub(crate) lock: Arc<Lock>,
}

/// Of a cache, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a process that was just forked has the file open until it becomes another program.
        let _ = self.0.unlock();
    }
}

impl Cache {
    /// Opens the cache in a directory, which is made if it is missing. `Busy` if it is open elsewhere.
    pub async fn open(git: Git, root: PathBuf) -> Result<Self, GitError> {
        DirBuilder::new().recursive(true).mode(0o700).create(&root)?;
        let lock = File::options().create(true).append(true).open(root.join("lock"))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => GitError::Busy,
            TryLockError::Error(error) => error.into(),
        })?;
        let cache = Self {
            git,
            root,
            lock: Arc::new(Lock(lock)),
        };
        // Of a server that was killed.
        remove(&cache.ssh())?;
        if cache.changing().exists() {
            remove(&cache.repository())?;
        }
        cache.prepare().await?;
        Ok(cache)
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.root.join("repository")
    }

    /// Files of a connection by SSH.
    pub(crate) fn ssh(&self) -> PathBuf {
        self.root.join("ssh")
    }

    /// Exists while something is written. If it is left, the repository may be damaged.
    fn changing(&self) -> PathBuf {
        self.root.join("changing")
    }

    /// Makes the repository if there is none.
    pub(crate) async fn prepare(&self) -> Result<(), GitError> {
        let repository = self.repository();
        if repository.join("HEAD").exists() {
            return Ok(());
        }
        self.begin_change()?;
        let path = repository.to_str().ok_or(io::ErrorKind::InvalidFilename);
        let path = path.map_err(io::Error::from)?.to_owned();
        let words = [
            "init",
            "--quiet",
            "--bare",
            "--template=",
            "--initial-branch=main",
            "--object-format=sha1",
            "--",
        ];
        let words = words.map(str::to_owned).into_iter().chain([path]);
        self.git.run(Call::local(None, words)).await?;
        self.end_change()
    }

    /// Removes the repository if it is large, or has many files.
    pub(crate) fn make_room(&self) -> Result<(), GitError> {
        let (bytes, files) = size(&self.repository())?;
        match bytes > self.git.limits.cache_bytes / 2 || files > CACHE_FILES {
            true => remove(&self.repository()),
            false => Ok(()),
        }
    }

    pub(crate) fn begin_change(&self) -> Result<(), GitError> {
        // The whole directory may have vanished.
        DirBuilder::new().recursive(true).mode(0o700).create(&self.root)?;
        File::create(self.changing())?;
        Ok(())
    }

    pub(crate) fn end_change(&self) -> Result<(), GitError> {
        fs::write(self.repository().join("config"), CONFIG)?;
        Ok(fs::remove_file(self.changing())?)
    }

    /// Runs a command in the repository.
    pub(crate) async fn read<T: Into<String>>(&self, words: impl IntoIterator<Item = T>) -> Result<Vec<u8>, GitError> {
        self.git.run(Call::local(Some(&self.repository()), words)).await
    }

    /// The same, with its output also if it fails.
    pub(crate) async fn try_read<T: Into<String>>(
        &self,
        words: impl IntoIterator<Item = T>,
        max_stdout: usize,
    ) -> Result<(Vec<u8>, Ended), GitError> {
        let repository = self.repository();
        let call = Call {
            max_stdout,
            ..Call::local(Some(&repository), words)
        };
        self.git.run_to_end(call).await
    }
}

pub(crate) fn remove(directory: &Path) -> Result<(), GitError> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Bytes and files of a directory.
fn size(directory: &Path) -> io::Result<(u64, usize)> {
    let (mut bytes, mut files, mut directories) = (0_u64, 0, vec![directory.to_owned()]);
    while let Some(directory) = directories.pop() {
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let data = entry.metadata()?;
            if data.is_dir() {
                directories.push(entry.path());
            } else {
                bytes = bytes.saturating_add(data.len());
                files += 1;
            }
        }
    }
    Ok((bytes, files))
}
