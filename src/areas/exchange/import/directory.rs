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

use super::{
    Report,
    ignored::{IGNORE_FILES, IgnoreRules, is_output},
    layout::{RepositoryLayout, SETTINGS},
    names,
};

/// The most bytes of one file, as for uploads by URL.
pub const MAX_FILE: u64 = 20 * 1024 * 1024;
/// The most files of a directory, including those that are not imported.
pub const MAX_FILES: usize = 200_000;
/// The most bytes of all files that are stored.
pub const MAX_TOTAL: u64 = 2 * 1024 * 1024 * 1024;
/// The deepest nesting of directories.
const MAX_DEPTH: usize = 64;

/// The most bytes of a settings or an ignore file.
const MAX_SETTINGS: u64 = 64 * 1024;
/// The directory of the files of pages and of shared texts.
pub const ASSETS_ROOT: &str = ".gitbook";

/// Regular files with their sizes, by path with `/` as the separator.
pub type Listing = BTreeMap<String, u64>;

pub struct Directory {
    dir: Dir,
    /// The names of files in the file system, by path, where they differ from those in comparable form.
    stored_names: BTreeMap<String, String>,
    ignored: IgnoreRules,
}

impl Directory {
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let opened = Dir::open_ambient_dir(path, ambient_authority());
        let dir = opened.with_context(|| format!("cannot open the directory {}", path.display()))?;
        Ok(Self {
            dir,
            stored_names: BTreeMap::new(),
            ignored: IgnoreRules::default(),
        })
    }

    /// Opens the root directory that the settings name, by default this directory.
    pub fn open_root(mut self, report: &mut Report) -> anyhow::Result<(Self, RepositoryLayout)> {
        let settings = match self.read(SETTINGS, MAX_SETTINGS) {
            Ok(settings) => settings,
            Err(error) if is_absent(&error) => return Ok((self, RepositoryLayout::default())),
            Err(error) => return Err(error.context(SETTINGS)),
        };
        let settings = String::from_utf8(settings).with_context(|| format!("{SETTINGS} is not valid UTF-8"))?;
        let layout = RepositoryLayout::parse(&settings, report)?;
        let root = layout.root().unwrap_or_default();
        for name in root.split('/').filter(|name| !matches!(*name, "" | ".")) {
            for file in IGNORE_FILES {
                self.add_ignore_file(file, report);
            }
            self.dir = open_directory(&self.dir, name)
                .with_context(|| format!("cannot open the directory {root}, which is the `root` in {SETTINGS}"))?;
            self.ignored.enter(name);
        }
        Ok((self, layout))
    }

    fn add_ignore_file(&mut self, path: &str, report: &mut Report) {
        match self.read(path, MAX_SETTINGS) {
            Ok(text) => self.ignored.add(path, &text),
            Err(error) if is_absent(&error) => {}
            Err(error) => report.error(path, format!("The file cannot be read: {error}.")),
        }
    }

    /// Removes the Markdown files that ignore files exclude from a listing.
    fn remove_ignored(&self, listing: &mut Listing, report: &mut Report) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        listing.retain(|path, _| {
            let excluding = names::is_markdown(path).then(|| self.ignored.excluding(path)).flatten();
            if let Some(file) = excluding {
                *counts.entry(file).or_default() += 1;
            }
            excluding.is_none()
        });
        for (file, count) in counts {
            report.note(
                file,
                format!("Markdown files ({count}) that the file excludes are not imported."),
            );
        }
    }

    /// Adds a file to a listing, by its name in the form in which names are compared.
    fn add(&mut self, listing: &mut Listing, (stored, size): (String, u64), report: &mut Report) {
        let path = names::comparable(&stored);
        let known = listing.contains_key(&path).then(|| self.stored(&path).to_owned());
        // A file whose name needs no change comes first.
        let rank = |stored: &String| (*stored != path, stored.clone());
        let left = match known {
            Some(known) if rank(&known) < rank(&stored) => Some(stored),
            known => {
                listing.insert(path.clone(), size);
                self.stored_names.remove(&path);
                if stored != path {
                    self.stored_names.insert(path, stored);
                }
                known
            }
        };
        if let Some(left) = left {
            let message = "Another file has a name that looks the same; this one is not imported.";
            report.error(&left, message);
        }
    }

    /// Returns the path of a file in the file system.
    fn stored<'p>(&'p self, path: &'p str) -> &'p str {
        self.stored_names.get(path).map_or(path, String::as_str)
    }

    /// Lists all regular files except hidden and ignored ones.
    pub fn list(&mut self, report: &mut Report) -> anyhow::Result<Listing> {
        let mut listing = Listing::new();
        let mut next = vec![String::new()];
        while let Some(path) = next.pop() {
            let entries = match path.as_str() {
                "" => self.dir.entries(),
                path => self.dir.read_dir(path),
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
                    Ok(DirectoryItem::File(path, size)) => self.add(&mut listing, (path, size), report),
                    Ok(DirectoryItem::IgnoreFile(path)) => self.add_ignore_file(&path, report),
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
        self.remove_ignored(&mut listing, report);
        Ok(listing)
    }

    /// Reads a file of at most `limit` bytes.
    pub fn read(&self, path: &str, limit: u64) -> anyhow::Result<Vec<u8>> {
        let file = self.dir.open(self.stored(path))?;
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

/// Opens a directory in another one, whose name may be stored in another form.
fn open_directory(parent: &Dir, name: &str) -> anyhow::Result<Dir> {
    let is_wanted = |entry: &DirEntry| names::comparable(&entry.file_name().to_string_lossy()) == name;
    let other = || parent.entries().ok()?.flatten().find(is_wanted);
    Ok(match parent.open_dir(name) {
        Err(error) if error.kind() == ErrorKind::NotFound => match other() {
            Some(entry) => entry.open_dir()?,
            None => return Err(error.into()),
        },
        opened => opened?,
    })
}

fn is_absent(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
    kind == Some(ErrorKind::NotFound)
}

enum DirectoryItem {
    File(String, u64),
    Directory(String),
    IgnoreFile(String),
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
    if IGNORE_FILES.contains(&&*shown) {
        return Ok(DirectoryItem::IgnoreFile(path));
    }
    if (shown.starts_with('.') && path != ASSETS_ROOT) || is_output(&shown) {
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
