//! A list of files, each with what reads its bytes.

use std::{collections::BTreeMap, io};

use super::{
    file_tree::{Entry, EntryKind, FileTree},
    names,
};

/// Reads a file of at most so many bytes.
type ReadFile<T> = Box<dyn Fn(&T, u64) -> io::Result<Vec<u8>> + Send + Sync>;

/// Files of which everything but the bytes is known, and by what each is read: its place in an archive, its id in a
/// repository.
pub struct FileList<T> {
    entries: BTreeMap<String, (EntryKind, T)>,
    read: ReadFile<T>,
}

impl<T> FileList<T> {
    pub fn new(
        entries: impl IntoIterator<Item = (Entry, T)>,
        read: impl Fn(&T, u64) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let entries = entries.into_iter().map(|(entry, id)| (entry.path, (entry.kind, id)));
        Self {
            entries: entries.collect(),
            read: Box::new(read),
        }
    }
}

impl<T: Send + Sync> FileTree for FileList<T> {
    fn enter(&mut self, name: &str) -> io::Result<()> {
        let directories = self.entries.keys().filter_map(|path| path.split_once('/'));
        let mut same = directories.map(|(directory, _)| directory);
        // A name that is written as it is wanted comes first.
        let exact = same.clone().find(|directory| *directory == name);
        let found = exact.or_else(|| same.find(|directory| names::comparable(directory) == name));
        let inside = match found {
            Some(found) => format!("{found}/"),
            None => return Err(io::ErrorKind::NotFound.into()),
        };
        let entries = std::mem::take(&mut self.entries).into_iter();
        let inner = entries.filter_map(|(path, entry)| Some((path.strip_prefix(&inside)?.to_owned(), entry)));
        self.entries = inner.collect();
        Ok(())
    }

    fn walk(&self, visit: &mut dyn FnMut(Entry) -> anyhow::Result<bool>) -> anyhow::Result<()> {
        for (path, (kind, _)) in &self.entries {
            let (path, kind) = (path.clone(), kind.clone());
            visit(Entry { path, kind })?;
        }
        Ok(())
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        match self.entries.get(path) {
            Some((EntryKind::File { .. }, id)) => (self.read)(id, limit),
            Some(_) => Err(io::Error::other("it is not a regular file")),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}
