//! A directory of the server. No link or name in it makes the import read outside of it.

use std::{
    io::{self, ErrorKind, Read},
    path::Path,
};

use anyhow::Context;
use cap_std::{
    ambient_authority,
    fs::{Dir, DirEntry},
};

use super::{
    file_tree::{Entry, EntryKind, FileTree, too_large},
    names,
};

pub struct Directory(Dir);

impl Directory {
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let opened = Dir::open_ambient_dir(path, ambient_authority());
        let dir = opened.with_context(|| format!("cannot open the directory {}", path.display()))?;
        Ok(Self(dir))
    }
}

impl FileTree for Directory {
    fn enter(&mut self, name: &str) -> io::Result<()> {
        // The name may be stored in another form.
        let is_wanted = |entry: &DirEntry| names::comparable(&entry.file_name().to_string_lossy()) == name;
        let other = || self.0.entries().ok()?.flatten().find(is_wanted);
        let opened = match self.0.open_dir(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => match other() {
                Some(entry) => entry.open_dir()?,
                None => return Err(error),
            },
            opened => opened?,
        };
        self.0 = opened;
        Ok(())
    }

    fn walk(&self, visit: &mut dyn FnMut(Entry) -> anyhow::Result<bool>) -> anyhow::Result<()> {
        let mut next = vec![String::new()];
        while let Some(path) = next.pop() {
            let entries = match path.as_str() {
                "" => self.0.entries(),
                path => self.0.read_dir(path),
            };
            let entries = match entries {
                Ok(entries) => entries,
                Err(error) if path.is_empty() => return Err(error).context("cannot read the directory"),
                Err(error) => {
                    visit(unreadable(&path, format!("The directory cannot be read: {error}.")))?;
                    continue;
                }
            };
            for entry in entries {
                let entry = entry.and_then(|entry| classify(&path, &entry));
                let entry = entry.unwrap_or_else(|error| {
                    unreadable(&path, format!("An entry of the directory cannot be read: {error}."))
                });
                let directory = matches!(entry.kind, EntryKind::Directory).then(|| entry.path.clone());
                if visit(entry)? {
                    next.extend(directory);
                }
            }
        }
        Ok(())
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let file = self.0.open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is no longer a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len()).map_or(true, |size| size > limit) {
            return Err(too_large(limit));
        }
        Ok(bytes)
    }
}

fn unreadable(path: &str, why: String) -> Entry {
    Entry {
        path: path.to_owned(),
        kind: EntryKind::Unreadable(why),
    }
}

fn classify(parent: &str, entry: &DirEntry) -> io::Result<Entry> {
    let name = entry.file_name();
    let shown = name.to_string_lossy();
    let path = match parent {
        "" => shown.into_owned(),
        parent => format!("{parent}/{shown}"),
    };
    let kind = entry.file_type()?;
    let kind = if name.to_str().is_none() {
        EntryKind::InvalidName
    } else if kind.is_symlink() {
        EntryKind::Symlink
    } else if kind.is_dir() {
        EntryKind::Directory
    } else if kind.is_file() {
        EntryKind::File {
            size: entry.metadata()?.len(),
        }
    } else {
        EntryKind::Special
    };
    Ok(Entry { path, kind })
}
