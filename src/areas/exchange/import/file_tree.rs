//! What an import reads files from.

use std::io;

/// Files with paths: those of a directory, of an archive, of a commit.
///
/// A tree says what there is, and what of it is imported is decided elsewhere.
pub trait FileTree: Send + Sync {
    /// Makes a directory of the tree the root, by its name in comparable form.
    fn enter(&mut self, name: &str) -> io::Result<()>;

    /// Visits what is in the tree. `visit` returns for a directory whether it needs what is in it. A tree need not visit
    /// directories: the paths of files say where they are.
    fn walk(&self, visit: &mut dyn FnMut(Entry) -> anyhow::Result<bool>) -> anyhow::Result<()>;

    /// Reads a file of at most `limit` bytes, by the path with which it is visited.
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>>;
}

/// What is at a path.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Relative to the root, with `/` as the separator. What is not valid UTF-8 in it is replaced.
    pub path: String,
    pub kind: EntryKind,
}

#[derive(Debug, Clone)]
pub enum EntryKind {
    File {
        size: u64,
    },
    Directory,
    Symlink,
    /// The place of another repository.
    Submodule,
    /// Something else, such as a device.
    Special,
    /// The name is not valid UTF-8.
    InvalidName,
    /// It cannot be read, for this reason.
    Unreadable(String),
}

/// The error of reading a file that has more bytes.
pub fn too_large(limit: u64) -> io::Error {
    io::Error::other(format!("it has more than {limit} bytes"))
}
