//! Zip archives: read within limits, and written as a stream.
//!
//! [`Archive`] reads an archive of a stranger by its central directory. Nothing is unpacked to a path: names are keys, and
//! [`Archive::read`] returns the bytes of one file. [`stream`] writes an archive that nobody has to hold as a whole.

mod directory;
mod error;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use error::ArchiveError;
pub use read::{Archive, ArchiveEntry, EntryKind, Limits};
pub use write::{ZipBytes, ZipSink, stream};
