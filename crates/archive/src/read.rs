//! Reading of archives that strangers made.

use std::{
    collections::HashSet,
    io::{self, BufReader, Read, Seek},
};

use zip::{ZipArchive, read::ZipFileEntry, result::ZipError};

use super::{
    ArchiveError,
    directory::{MAX_DIRECTORY, Metered, check_claims},
};

/// A file may be so many times as large as it is in the archive; texts are at most 20 times as large.
const MAX_RATIO: u64 = 200;
/// The size from which the ratio counts: files of nothing but blanks are harmless while they are small.
const RATIO_FROM: u64 = 1024 * 1024;

/// The folder in which macOS keeps attributes of the files.
const ATTRIBUTES: &str = "__MACOSX";

/// The bits of a mode that say what a file is, and two of their values.
const TYPE: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;

/// Bounds on one archive.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files and directories.
    pub files: usize,
    /// Bytes of all files, unpacked.
    pub bytes: u64,
}

/// An archive whose directory was checked: its names lead nowhere else, and its files have their own bytes.
pub struct Archive<R> {
    zip: ZipArchive<BufReader<Metered<R>>>,
    entries: Vec<ArchiveEntry>,
}

/// An entry of an archive other than a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveEntry {
    /// With `/` as the separator, without the folder that all have in common.
    pub path: String,
    pub kind: EntryKind,
    index: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File {
        size: u64,
    },
    Symlink,
    /// Neither a file nor a link, such as a device.
    Special,
    /// The name is not valid UTF-8.
    InvalidName,
}

impl<R: Read + Seek> Archive<R> {
    /// Reads the directory of an archive.
    pub fn open(mut reader: R, limits: Limits) -> Result<Self, ArchiveError> {
        check_claims(&mut reader, limits.files)?;
        let (reader, meter) = Metered::new(reader, MAX_DIRECTORY);
        let mut zip = match ZipArchive::new(BufReader::new(reader)) {
            Err(_) if meter.is_used_up() => return Err(ArchiveError::LargeDirectory(MAX_DIRECTORY)),
            opened => opened.map_err(refused)?,
        };
        meter.lift();
        if zip.len() > limits.files {
            return Err(ArchiveError::TooManyFiles(limits.files));
        }
        if zip.has_duplicate_names() {
            return Err(ArchiveError::Duplicate(None));
        }
        let entries = listed(&zip, limits.bytes)?;
        if zip.has_overlapping_entries().map_err(refused)? {
            return Err(ArchiveError::Overlapping);
        }
        Ok(Self { zip, entries })
    }

    pub fn entries(&self) -> &[ArchiveEntry] {
        &self.entries
    }

    /// Reads the file at this place of the entries, if it has at most `limit` bytes. A file that is not what the directory
    /// says is an error.
    pub fn read(&mut self, entry: usize, limit: u64) -> io::Result<Vec<u8>> {
        let entry = self.entries.get(entry);
        let Some(entry) = entry.filter(|entry| matches!(entry.kind, EntryKind::File { .. })) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let file = self.zip.by_index(entry.index)?;
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).map_or(true, |size| size > limit) {
            return Err(io::Error::other(format!("it has more than {limit} bytes")));
        }
        Ok(bytes)
    }
}

/// Damage is what an archive of a stranger has, a fault of the disk is not.
fn refused(error: ZipError) -> ArchiveError {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => ArchiveError::Unreadable(error),
        error => ArchiveError::NotAnArchive(error),
    }
}

fn listed<R: Read + Seek>(zip: &ZipArchive<R>, most_bytes: u64) -> Result<Vec<ArchiveEntry>, ArchiveError> {
    let mut entries = Vec::new();
    let mut names = HashSet::new();
    let mut common = CommonFolder::default();
    let mut total: u64 = 0;
    for index in 0..zip.len() {
        let entry = zip.by_index_data(index).map_err(refused)?;
        let shown = String::from_utf8_lossy(entry.name_raw());
        let path = inner_path(&shown).ok_or_else(|| ArchiveError::Outside(shown.clone().into_owned()))?;
        if path.split('/').next() == Some(ATTRIBUTES) || path.is_empty() {
            continue;
        }
        common.add(&path, entry.is_dir());
        if entry.is_dir() {
            continue;
        }
        let kind = kind(&entry)?;
        if let EntryKind::File { size } = kind {
            total = total.saturating_add(size);
        }
        if total > most_bytes {
            return Err(ArchiveError::TooLarge(most_bytes));
        }
        // Names that are not valid may look the same.
        if kind != EntryKind::InvalidName && !names.insert(path.clone()) {
            return Err(ArchiveError::Duplicate(Some(path)));
        }
        entries.push(ArchiveEntry { path, kind, index });
    }
    for entry in &mut entries {
        entry.path = common.strip(std::mem::take(&mut entry.path));
    }
    Ok(entries)
}

/// Returns the path that a name means. `None`: it leads out of the archive. Archives of Windows have `\` as the separator.
fn inner_path(name: &str) -> Option<String> {
    let mut path = String::with_capacity(name.len());
    if name.starts_with(['/', '\\']) || name.contains('\0') {
        return None;
    }
    for part in name.split(['/', '\\']).filter(|part| !matches!(*part, "" | ".")) {
        let is_drive = path.is_empty() && matches!(part.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        if part == ".." || is_drive {
            return None;
        }
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(part);
    }
    Some(path)
}

fn kind(entry: &ZipFileEntry<'_>) -> Result<EntryKind, ArchiveError> {
    let name = || String::from_utf8_lossy(entry.name_raw()).into_owned();
    if entry.encrypted() {
        return Err(ArchiveError::Encrypted(name()));
    }
    let (size, packed) = (entry.size(), entry.compressed_size());
    if size > RATIO_FROM && size / MAX_RATIO > packed {
        return Err(ArchiveError::Bomb(name(), MAX_RATIO));
    }
    if std::str::from_utf8(entry.name_raw()).is_err() {
        return Ok(EntryKind::InvalidName);
    }
    // Programs that know no modes leave these bits empty.
    Ok(match (entry.external_attributes() >> 16) & TYPE {
        0 | REGULAR => EntryKind::File { size },
        SYMLINK => EntryKind::Symlink,
        _ => EntryKind::Special,
    })
}

/// The folder in which everything is: forges put the name of the repository and of the branch before all paths.
#[derive(Default)]
enum CommonFolder {
    #[default]
    Unknown,
    Named(String),
    None,
}

impl CommonFolder {
    fn add(&mut self, path: &str, is_directory: bool) {
        let folder = match path.split_once('/') {
            Some((folder, _)) => Some(folder),
            None => Some(path).filter(|_| is_directory),
        };
        match (&*self, folder) {
            (Self::Unknown, Some(folder)) => *self = Self::Named(folder.to_owned()),
            (Self::Named(known), Some(folder)) if known == folder => {}
            _ => *self = Self::None,
        }
    }

    fn strip(&self, path: String) -> String {
        let inner = match self {
            Self::Named(folder) => path
                .strip_prefix(folder.as_str())
                .and_then(|path| path.strip_prefix('/')),
            Self::Unknown | Self::None => None,
        };
        inner.map(str::to_owned).unwrap_or(path)
    }
}
