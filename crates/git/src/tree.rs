//! The files of a commit.

use tokio::{io::AsyncBufReadExt, io::AsyncReadExt, time::timeout};

use crate::{
    Cache, GitError, Oid,
    limits::MAX_RECORD,
    names::check_path,
    process::{Call, Running},
};

/// Limits of a list of files.
#[derive(Debug, Clone, Copy)]
pub struct TreeLimits {
    pub entries: usize,
    /// Of all blobs in the cache together.
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Regular,
    Executable,
    Symlink,
    Submodule,
}

impl Mode {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "100755" => Some(Self::Executable),
            "120000" => Some(Self::Symlink),
            "160000" => Some(Self::Submodule),
            // Old repositories have others.
            _ => text.starts_with("100").then_some(Self::Regular),
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }
}

/// A file, symlink or submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub mode: Mode,
    pub oid: Oid,
    /// `None`: too large to be fetched, or a submodule.
    pub size: Option<u64>,
    /// From the directory that was asked for. `Err`: not UTF-8; the text stands for it.
    pub path: Result<String, String>,
}

impl Cache {
    /// Lists the files of a commit below a directory, or all if it is empty.
    pub async fn list(&self, commit: Oid, directory: &str, limits: TreeLimits) -> Result<Vec<Entry>, GitError> {
        let tree = match directory {
            "" => commit.to_string(),
            _ => {
                check_path(directory)?;
                if !self.contains(commit).await? {
                    return Err(GitError::NotInCache);
                }
                format!("{commit}:{directory}")
            }
        };
        let repository = self.repository();
        let call = Call::local(
            Some(&repository),
            ["ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", &tree],
        );
        let work = async {
            let mut running = self.git.start(&call, false).await?;
            let (mut entries, mut bytes) = (Vec::new(), 0_u64);
            while let Some(record) = next_record(&mut running).await? {
                let entry = parse(&record).ok_or_else(|| GitError::failed("A file has no valid entry."))?;
                bytes = bytes.saturating_add(entry.size.unwrap_or_default());
                entries.push(entry);
                if entries.len() > limits.entries {
                    return Err(GitError::TooManyFiles(limits.entries));
                }
                if bytes > limits.bytes {
                    return Err(GitError::TooLarge);
                }
            }
            let ended = running.end().await?;
            match ended.is_success {
                true => Ok(entries),
                false => Err(GitError::of_stderr(&ended.stderr)),
            }
        };
        match timeout(self.git.limits.local, work).await {
            Ok(Err(GitError::NotInCache)) if !directory.is_empty() => Err(GitError::NoDirectory),
            listed => listed.unwrap_or(Err(GitError::TooSlow)),
        }
    }
}

/// Reads to the next NUL.
pub(crate) async fn next_record(running: &mut Running) -> Result<Option<Vec<u8>>, GitError> {
    let mut record = Vec::new();
    (&mut running.stdout)
        .take(MAX_RECORD)
        .read_until(0, &mut record)
        .await?;
    match record.pop() {
        None => Ok(None),
        Some(0) => Ok(Some(record)),
        Some(_) => Err(GitError::failed("A file has a path that is too long.")),
    }
}

pub(crate) fn path(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| String::from_utf8_lossy(bytes).into_owned())
}

/// `<mode> <type> <object> <size>\t<path>`.
fn parse(record: &[u8]) -> Option<Entry> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let (head, name) = record.split_at_checked(tab)?;
    let mut words = std::str::from_utf8(head).ok()?.split_ascii_whitespace();
    let mode = Mode::parse(words.next()?)?;
    let oid = words.nth(1)?.parse().ok()?;
    Some(Entry {
        mode,
        oid,
        size: words.next()?.parse().ok(),
        path: path(name.get(1..)?),
    })
}
