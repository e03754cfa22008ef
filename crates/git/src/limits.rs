//! Times and sizes, all in one place.

use std::time::Duration;

/// Time to ask a remote for its branches.
const QUERY_TIME: Duration = Duration::from_secs(60);

/// Time of a fetch, a push, or of writing a commit.
const TRANSFER_TIME: Duration = Duration::from_secs(10 * 60);

/// Time of a command that reads the cache. For blobs, the time of each.
const LOCAL_TIME: Duration = Duration::from_secs(2 * 60);

/// Time of a process that closed its pipes to end.
pub(crate) const END_TIME: Duration = Duration::from_secs(10);

/// CPU time of each process.
const CPU_TIME: Duration = Duration::from_secs(5 * 60);

/// Data segment of each process, in bytes.
const MEMORY: u64 = 2 * 1024 * 1024 * 1024;

/// Size of a cache. One file of it, which is what one fetch writes, may have half of that.
const CACHE_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// Files of a cache: each fetch and each commit adds three, and git gets slow with hundreds.
pub(crate) const CACHE_FILES: usize = 600;

/// Larger blobs are not fetched from servers that filter.
pub const MAX_BLOB_BYTES: u64 = 20 * 1024 * 1024;

/// Bytes of standard error that are kept. The rest is read and dropped.
pub(crate) const MAX_STDERR: usize = 16 * 1024;

/// Bytes of standard output of commands with short answers.
pub(crate) const MAX_STDOUT: usize = 1024 * 1024;

/// Bytes of one entry of a list of files.
pub(crate) const MAX_RECORD: u64 = 64 * 1024;

/// Characters of a message of a remote that are shown.
pub(crate) const MAX_MESSAGE: usize = 400;

/// Numbers of commits that are fetched to find an ancestor, one after the other.
pub(crate) const DEPTHS: [usize; 2] = [64, 4096];

/// Seconds without a byte after which an HTTP transfer ends.
pub(crate) const SILENCE_SECONDS: u64 = 60;

/// What each run of git may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Asking a remote for its branches.
    pub query: Duration,
    /// Fetching, pushing, and writing a commit.
    pub transfer: Duration,
    /// A command that reads the cache, or one blob.
    pub local: Duration,
    /// CPU time of each process.
    pub cpu: Duration,
    /// Data segment of each process, in bytes.
    pub memory: u64,
    /// Size of a cache directory. A fetch may take half of it; a cache that is more than half full is emptied first.
    pub cache_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            query: QUERY_TIME,
            transfer: TRANSFER_TIME,
            local: LOCAL_TIME,
            cpu: CPU_TIME,
            memory: MEMORY,
            cache_bytes: CACHE_BYTES,
        }
    }
}
