//! Zip archives.

use std::{
    fs::File,
    sync::{Mutex, PoisonError},
};

use archive::{Archive, ArchiveError, Limits};

use super::{
    file_list::FileList,
    file_tree::{Entry, EntryKind},
    repository::{MAX_FILES, MAX_TOTAL},
};

const LIMITS: Limits = Limits {
    files: MAX_FILES,
    bytes: MAX_TOTAL,
};

/// Opens an archive as a list of its files.
pub fn open(file: File) -> Result<FileList<usize>, ArchiveError> {
    let archive = Archive::open(file, LIMITS)?;
    let entries: Vec<(Entry, usize)> = archive.entries().iter().map(entry).zip(0..).collect();
    let archive = Mutex::new(archive);
    Ok(FileList::new(entries, move |place, limit| {
        let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
        archive.read(*place, limit)
    }))
}

fn entry(entry: &archive::ArchiveEntry) -> Entry {
    let kind = match entry.kind {
        archive::EntryKind::File { size } => EntryKind::File { size },
        archive::EntryKind::Symlink => EntryKind::Symlink,
        archive::EntryKind::Special => EntryKind::Special,
        archive::EntryKind::InvalidName => EntryKind::InvalidName,
    };
    let path = entry.path.clone();
    Entry { path, kind }
}
