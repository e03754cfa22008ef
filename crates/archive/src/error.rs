//! Why an archive is refused.

use std::{fmt, io};

use zip::result::ZipError;

/// The reason for which a whole archive is refused. The messages complete "the archive cannot be read: ".
#[derive(Debug)]
pub enum ArchiveError {
    /// Also an archive of which the end is missing.
    NotAnArchive(ZipError),
    TooManyFiles(usize),
    /// The central directory has more than this many bytes.
    LargeDirectory(u64),
    /// The files have more than this many bytes.
    TooLarge(u64),
    /// The file would be more than so many times as large as it is in the archive.
    Bomb(String, u64),
    /// Parts of the archive belong to several files.
    Overlapping,
    Encrypted(String),
    /// The name leads out of the archive.
    Outside(String),
    /// Two files have one name. `None`: it is not known which.
    Duplicate(Option<String>),
    Unreadable(io::Error),
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnArchive(_) => f.write_str("it is not a zip archive, or a part of it is missing"),
            Self::TooManyFiles(most) => write!(f, "it has more than {most} files"),
            Self::LargeDirectory(most) => write!(f, "its list of files has more than {most} bytes"),
            Self::TooLarge(most) => write!(f, "its files have more than {most} bytes"),
            Self::Bomb(name, most) => write!(f, "the file `{name}` is compressed to less than 1/{most} of its size"),
            Self::Overlapping => f.write_str("parts of it belong to several files"),
            Self::Encrypted(name) => write!(f, "the file `{name}` is encrypted"),
            Self::Outside(name) => write!(f, "the name `{name}` leads out of the archive"),
            Self::Duplicate(Some(name)) => write!(f, "several files have the name `{name}`"),
            Self::Duplicate(None) => f.write_str("several files have the same name"),
            Self::Unreadable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ArchiveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotAnArchive(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}
