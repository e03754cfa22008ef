//! A bound on the memory of an archive's central directory, checked before it is read.

use std::{
    io::{self, Read, Seek, SeekFrom},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use zip::result::ZipError;

use super::ArchiveError;

/// The most bytes of a central directory: 200,000 files with names of more than 200 bytes.
pub const MAX_DIRECTORY: u64 = 64 * 1024 * 1024;

/// Bytes at the end of an archive with its last records, which end with a comment of at most 64 KiB.
const TAIL: u64 = 66 * 1024;
const END: &[u8] = b"PK\x05\x06";
/// The record before it, of archives with 65,535 files or more, and what it points to: a record with their number.
const LOCATOR: &[u8] = b"PK\x06\x07";
const LOCATOR_BYTES: usize = 20;
const LARGE_END_BYTES: usize = 56;

/// Refuses an archive that claims to have more files. A reader reserves memory for as many as the archive claims.
///
/// Each record that could be the end is looked at, because the reader tries one after the other.
pub fn check_claims(reader: &mut (impl Read + Seek), most: usize) -> Result<(), ArchiveError> {
    let length = reader.seek(SeekFrom::End(0))?;
    let start = length.saturating_sub(TAIL);
    reader.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    reader.take(TAIL).read_to_end(&mut tail)?;
    let ends = tail.windows(END.len()).enumerate().filter(|(_, found)| *found == END);
    for (end, _) in ends {
        let Some(locator) = end.checked_sub(LOCATOR_BYTES) else {
            continue;
        };
        if tail.get(locator..).is_none_or(|found| !found.starts_with(LOCATOR)) {
            continue;
        }
        // It is directly before the locator, or else the archive is not one that a usual program wrote.
        let record = locator.checked_sub(LARGE_END_BYTES);
        let pointer = number(&tail, locator + 8);
        let is_before = record.and_then(|record| start.checked_add(u64::try_from(record).ok()?));
        if pointer.is_none() || pointer != is_before {
            return Err(ArchiveError::NotAnArchive(ZipError::InvalidArchive(
                "the record of a large archive is not before its locator".into(),
            )));
        }
        let claimed = record.and_then(|record| number(&tail, record + 32));
        if claimed.is_none_or(|claimed| usize::try_from(claimed).map_or(true, |claimed| claimed > most)) {
            return Err(ArchiveError::TooManyFiles(most));
        }
    }
    reader.rewind()?;
    Ok(())
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let found = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*found))
}

/// A reader of at most so many bytes, until the limit is lifted.
pub struct Metered<R> {
    inner: R,
    left: Arc<AtomicU64>,
}

/// The limit of a reader that another one owns.
pub struct Meter(Arc<AtomicU64>);

impl<R> Metered<R> {
    pub fn new(inner: R, most: u64) -> (Self, Meter) {
        let left = Arc::new(AtomicU64::new(most));
        let meter = Meter(Arc::clone(&left));
        (Self { inner, left }, meter)
    }
}

impl Meter {
    pub fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    pub fn lift(self) {
        self.0.store(u64::MAX, Ordering::Relaxed);
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.load(Ordering::Relaxed);
        if left == u64::MAX {
            return self.inner.read(buffer);
        }
        if left == 0 {
            return Err(io::Error::other("the limit is reached"));
        }
        let read = self.inner.read(buffer)?;
        let read_bytes = u64::try_from(read).unwrap_or(u64::MAX);
        self.left.store(left.saturating_sub(read_bytes), Ordering::Relaxed);
        Ok(read)
    }
}

impl<R: Seek> Seek for Metered<R> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.inner.seek(position)
    }
}
