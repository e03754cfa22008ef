//! The bytes of files.

use std::{io, sync::Arc, time::Duration};

use sha1::{Digest, Sha1};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, copy, sink},
    time::timeout,
};

use crate::{
    Cache, GitError, Oid,
    cache::Lock,
    limits::MAX_RECORD,
    process::{Call, Running},
};

/// The longest pointer of Git LFS, in bytes.
const MAX_LFS_POINTER: usize = 1024;

/// A process that reads blobs. On a thread that may block, `Handle::block_on` waits for each.
pub struct Blobs {
    /// `None` after a failure.
    running: Option<Running>,
    time: Duration,
    _lock: Arc<Lock>,
}

impl Cache {
    pub async fn blobs(&self) -> Result<Blobs, GitError> {
        let repository = self.repository();
        let call = Call::local(Some(&repository), ["cat-file", "--batch"]);
        Ok(Blobs {
            running: Some(self.git.start(&call, true).await?),
            time: self.git.limits.local,
            _lock: Arc::clone(&self.lock),
        })
    }
}

impl Blobs {
    /// Reads a blob. `None`: larger than `limit`, or not in the cache.
    pub async fn read(&mut self, oid: Oid, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
        // Back only if it is in step: not if this is cancelled.
        let mut running = self.running.take().ok_or(GitError::NotInCache)?;
        match timeout(self.time, read(&mut running, oid, limit)).await {
            Ok(Ok(blob)) => {
                self.running = Some(running);
                Ok(blob)
            }
            Ok(Err(GitError::Server(_))) => Err(running.failure().await),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(GitError::TooSlow),
        }
    }
}

async fn read(running: &mut Running, oid: Oid, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
    let stdin = running.stdin.as_mut().ok_or(GitError::NotInCache)?;
    stdin.write_all(format!("{oid}\n").as_bytes()).await?;
    let mut line = String::new();
    (&mut running.stdout).take(MAX_RECORD).read_line(&mut line).await?;
    let size: u64 = match line.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
        [] => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        [_, "blob", size] => size.parse().map_err(|_| GitError::failed(&line))?,
        [_, "missing"] => return Ok(None),
        _ => return Err(GitError::failed("Not a file.")),
    };
    let mut bytes = Vec::new();
    let mut content = (&mut running.stdout).take(size);
    if size > limit {
        copy(&mut content, &mut sink()).await?;
    } else {
        content.read_to_end(&mut bytes).await?;
    }
    let is_whole = content.limit() == 0 && running.stdout.read_u8().await? == b'\n';
    match is_whole {
        true => Ok((size <= limit).then_some(bytes)),
        false => Err(GitError::failed("A file ended too early.")),
    }
}

/// The name that git gives to a blob.
pub fn hash_object(bytes: &[u8]) -> Oid {
    let hash = Sha1::new()
        .chain_update(format!("blob {}\0", bytes.len()))
        .chain_update(bytes);
    Oid(hash.finalize().into())
}

/// Returns whether the bytes of a file stand for others, which are elsewhere.
pub fn is_lfs_pointer(bytes: &[u8]) -> bool {
    bytes.len() <= MAX_LFS_POINTER && bytes.starts_with(b"version https://git-lfs.github.com/spec/v")
}
