//! The directory: nothing outside of it is ever read, whatever links and names in it say.

use std::{
    collections::BTreeMap,
    io::{ErrorKind, Read},
    path::Path,
};

use anyhow::{Context, bail, ensure};
use cap_std::{
    ambient_authority,
    fs::{Dir, DirEntry},
};
use serde::Deserialize;

use super::Report;

/// Bytes of one file; as much as one that is fetched for an upload may have.
pub const MAX_FILE: u64 = 20 * 1024 * 1024;
/// Files of a directory, with those that are not imported.
pub const MAX_FILES: usize = 100_000;
/// Bytes of all files that are stored.
pub const MAX_TOTAL: u64 = 2 * 1024 * 1024 * 1024;
/// Directories in each other.
const MAX_DEPTH: usize = 64;

/// Says where the content of a repository is.
const SETTINGS: &str = ".gitbook.yaml";
const MAX_SETTINGS: u64 = 16 * 1024;
/// Where files of pages are kept, and texts that pages share.
pub const KEPT: &str = ".gitbook";

/// Regular files with their sizes. Paths have `/` between their steps.
pub type Listing = BTreeMap<String, u64>;

pub struct Directory(Dir);

/// Where things are, as the settings say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Layout {
    root: Option<String>,
    structure: Structure,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Structure {
    readme: Option<String>,
    summary: Option<String>,
}

impl Layout {
    /// The text of the first page.
    pub fn readme(&self) -> Option<&str> {
        self.structure.readme.as_deref().map(plain)
    }

    /// The table of contents, if the settings name one.
    pub fn summary(&self) -> Option<&str> {
        self.structure.summary.as_deref().map(plain)
    }
}

fn plain(path: &str) -> &str {
    path.trim_start_matches("./").trim_matches('/')
}

impl Directory {
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let opened = Dir::open_ambient_dir(path, ambient_authority());
        Ok(Self(opened.with_context(|| {
            format!("{} cannot be opened as a directory", path.display())
        })?))
    }

    /// The directory that the settings in this one name, if they do.
    pub fn inner(self) -> anyhow::Result<(Self, Layout)> {
        let settings = match self.read(SETTINGS, MAX_SETTINGS) {
            Ok(settings) => settings,
            Err(error) if is_absent(&error) => return Ok((self, Layout::default())),
            Err(error) => return Err(error.context(SETTINGS)),
        };
        let settings = String::from_utf8(settings).with_context(|| format!("{SETTINGS} is not valid UTF-8"))?;
        let layout: Option<Layout> =
            yaml_serde::from_str(&settings).with_context(|| format!("{SETTINGS} cannot be read"))?;
        let layout = layout.unwrap_or_default();
        let root = layout
            .root
            .as_deref()
            .map(plain)
            .filter(|root| !matches!(*root, "" | "."));
        let inner = match root {
            None => self,
            Some(root) => {
                let opened = self.0.open_dir(root);
                Self(opened.with_context(|| format!("the root {root} that {SETTINGS} names cannot be opened"))?)
            }
        };
        Ok((inner, layout))
    }

    /// All regular files but hidden ones.
    pub fn list(&self, report: &mut Report) -> anyhow::Result<Listing> {
        let mut listing = Listing::new();
        let mut next = vec![String::new()];
        while let Some(path) = next.pop() {
            let entries = match path.as_str() {
                "" => self.0.entries(),
                path => self.0.read_dir(path),
            };
            let entries = match entries {
                Ok(entries) => entries,
                Err(error) if path.is_empty() => return Err(error).context("the directory cannot be read"),
                Err(error) => {
                    report.error(&path, format!("Cannot be read: {error}."));
                    continue;
                }
            };
            for entry in entries {
                let found = entry.and_then(|entry| look(&path, &entry));
                match found {
                    Ok(Found::File(path, size)) => {
                        listing.insert(path, size);
                    }
                    Ok(Found::Directory(path)) if path.split('/').count() > MAX_DEPTH => {
                        report.error(&path, format!("Directories are read at most {MAX_DEPTH} deep."));
                    }
                    Ok(Found::Directory(path)) => next.push(path),
                    Ok(Found::Refused(path, why)) => report.error(&path, why),
                    Ok(Found::Hidden) => {}
                    Err(error) => report.error(&path, format!("Cannot be read: {error}.")),
                }
                ensure!(
                    listing.len() + next.len() <= MAX_FILES,
                    "the directory has more than {MAX_FILES} files"
                );
            }
        }
        Ok(listing)
    }

    /// The bytes of a file.
    pub fn read(&self, path: &str, most: u64) -> anyhow::Result<Vec<u8>> {
        let file = self.0.open(path)?;
        if !file.metadata()?.is_file() {
            bail!("it is no file any more");
        }
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len())? > most {
            bail!("it is larger than {most} bytes");
        }
        Ok(bytes)
    }
}

fn is_absent(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(ErrorKind::NotFound)
}

enum Found {
    File(String, u64),
    Directory(String),
    Refused(String, &'static str),
    Hidden,
}

fn look(parent: &str, entry: &DirEntry) -> std::io::Result<Found> {
    let name = entry.file_name();
    let shown = name.to_string_lossy();
    let path = match parent {
        "" => shown.clone().into_owned(),
        parent => format!("{parent}/{shown}"),
    };
    if shown.starts_with('.') && path != KEPT {
        return Ok(Found::Hidden);
    }
    if name.to_str().is_none() {
        return Ok(Found::Refused(path, "The name is not valid UTF-8."));
    }
    let kind = entry.file_type()?;
    Ok(if kind.is_symlink() {
        Found::Refused(path, "Symbolic links are not followed.")
    } else if kind.is_dir() {
        Found::Directory(path)
    } else if kind.is_file() {
        Found::File(path, entry.metadata()?.len())
    } else {
        Found::Refused(path, "Is neither a file nor a directory.")
    })
}
