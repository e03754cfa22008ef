//! The imported directory. No link or name in it makes the import read outside of it.

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
use serde::{Deserialize, de::IgnoredAny};

use super::Report;

/// The most bytes of one file, as for uploads by URL.
pub const MAX_FILE: u64 = 20 * 1024 * 1024;
/// The most files of a directory, including those that are not imported.
pub const MAX_FILES: usize = 200_000;
/// The most bytes of all files that are stored.
pub const MAX_TOTAL: u64 = 2 * 1024 * 1024 * 1024;
/// The deepest nesting of directories.
const MAX_DEPTH: usize = 64;

/// The settings file of a repository.
const SETTINGS: &str = ".gitbook.yaml";
const MAX_SETTINGS: u64 = 16 * 1024;
/// The directory of the files of pages and of shared texts.
pub const ASSETS_ROOT: &str = ".gitbook";

/// Regular files with their sizes, by path with `/` as the separator.
pub type Listing = BTreeMap<String, u64>;

pub struct Directory(Dir);

/// The content of the settings file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RepositoryLayout {
    root: Option<String>,
    structure: Structure,
    redirects: BTreeMap<String, IgnoredAny>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Structure {
    readme: Option<String>,
    summary: Option<String>,
}

impl RepositoryLayout {
    /// Returns the path of the text of the first page.
    pub fn readme(&self) -> Option<&str> {
        self.structure.readme.as_deref().map(plain)
    }

    /// Notes the settings that have no meaning for a space.
    pub fn note_unused(&self, report: &mut Report) {
        if !self.redirects.is_empty() {
            let count = self.redirects.len();
            let message = format!("Redirects ({count}) belong to a site and are not imported.");
            report.note(SETTINGS, message);
        }
    }

    /// Returns the path of the table of contents.
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
            format!("cannot open the directory {}", path.display())
        })?))
    }

    /// Opens the root directory that the settings name, by default this directory.
    pub fn open_root(self) -> anyhow::Result<(Self, RepositoryLayout)> {
        let settings = match self.read(SETTINGS, MAX_SETTINGS) {
            Ok(settings) => settings,
            Err(error) if is_absent(&error) => return Ok((self, RepositoryLayout::default())),
            Err(error) => return Err(error.context(SETTINGS)),
        };
        let settings = String::from_utf8(settings).with_context(|| format!("{SETTINGS} is not valid UTF-8"))?;
        let layout: Option<RepositoryLayout> =
            yaml_serde::from_str(&settings).with_context(|| format!("cannot parse {SETTINGS}"))?;
        let layout = layout.unwrap_or_default();
        let root = layout
            .root
            .as_deref()
            .map(plain)
            .filter(|root| !matches!(*root, "" | "."));
        let inner =
            match root {
                None => self,
                Some(root) => {
                    let opened = self.0.open_dir(root);
                    Self(opened.with_context(|| {
                        format!("cannot open the directory {root}, which is the `root` in {SETTINGS}")
                    })?)
                }
            };
        Ok((inner, layout))
    }

    /// Lists all regular files except hidden ones.
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
                Err(error) if path.is_empty() => return Err(error).context("cannot read the directory"),
                Err(error) => {
                    report.error(&path, format!("The directory cannot be read: {error}."));
                    continue;
                }
            };
            for entry in entries {
                let item = entry.and_then(|entry| classify(&path, &entry));
                match item {
                    Ok(DirectoryItem::File(path, size)) => {
                        listing.insert(path, size);
                    }
                    Ok(DirectoryItem::Directory(path)) if path.split('/').count() > MAX_DEPTH => {
                        report.error(
                            &path,
                            format!("The directory is nested more than {MAX_DEPTH} levels deep and is not imported."),
                        );
                    }
                    Ok(DirectoryItem::Directory(path)) => next.push(path),
                    Ok(DirectoryItem::Refused(path, why)) => report.error(&path, why),
                    Ok(DirectoryItem::Hidden) => {}
                    Err(error) => report.error(&path, format!("An entry of the directory cannot be read: {error}.")),
                }
                ensure!(
                    listing.len() + next.len() <= MAX_FILES,
                    "the directory has more than {MAX_FILES} files; split it, or import a part of it"
                );
            }
        }
        Ok(listing)
    }

    /// Reads a file of at most `limit` bytes.
    pub fn read(&self, path: &str, limit: u64) -> anyhow::Result<Vec<u8>> {
        let file = self.0.open(path)?;
        if !file.metadata()?.is_file() {
            bail!("it is no longer a regular file");
        }
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if u64::try_from(bytes.len())? > limit {
            bail!("it has more than {limit} bytes");
        }
        Ok(bytes)
    }
}

fn is_absent(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(ErrorKind::NotFound)
}

enum DirectoryItem {
    File(String, u64),
    Directory(String),
    Refused(String, &'static str),
    Hidden,
}

fn classify(parent: &str, entry: &DirEntry) -> std::io::Result<DirectoryItem> {
    let name = entry.file_name();
    let shown = name.to_string_lossy();
    let path = match parent {
        "" => shown.clone().into_owned(),
        parent => format!("{parent}/{shown}"),
    };
    if shown.starts_with('.') && path != ASSETS_ROOT {
        return Ok(DirectoryItem::Hidden);
    }
    if name.to_str().is_none() {
        return Ok(DirectoryItem::Refused(path, "The file name is not valid UTF-8."));
    }
    let kind = entry.file_type()?;
    Ok(if kind.is_symlink() {
        DirectoryItem::Refused(path, "The file is a symbolic link, which is not followed.")
    } else if kind.is_dir() {
        DirectoryItem::Directory(path)
    } else if kind.is_file() {
        DirectoryItem::File(path, entry.metadata()?.len())
    } else {
        DirectoryItem::Refused(path, "The entry is neither a regular file nor a directory.")
    })
}
