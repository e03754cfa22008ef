//! The files that are imported, wherever they come from, and what of them is left out.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
};

use anyhow::{Context, ensure};

use super::{
    Report,
    file_tree::{Entry, EntryKind, FileTree},
    ignored::{IGNORE_FILES, IgnoreRules, is_output},
    layout::{RepositoryLayout, SETTINGS},
    names,
};

/// The most bytes of one file, as for uploads by URL.
pub const MAX_FILE: u64 = 20 * 1024 * 1024;
/// The most files, including those that are not imported.
pub const MAX_FILES: usize = 200_000;
/// The most bytes of all files that are stored, and of all files of an archive.
pub const MAX_TOTAL: u64 = 2 * 1024 * 1024 * 1024;
/// The deepest nesting of directories.
const MAX_DEPTH: usize = 64;

/// The most bytes of a settings or an ignore file.
const MAX_SETTINGS: u64 = 64 * 1024;
/// The directory of the files of pages and of shared texts.
pub const ASSETS_ROOT: &str = ".gitbook";

/// Regular files with their sizes, by path with `/` as the separator.
pub type Listing = BTreeMap<String, u64>;

pub struct Repository {
    tree: Box<dyn FileTree>,
    /// The names of files in the tree, by path, where they differ from those in comparable form.
    stored_names: BTreeMap<String, String>,
    ignored: IgnoreRules,
}

impl Repository {
    pub fn new(tree: Box<dyn FileTree>) -> Self {
        Self {
            tree,
            stored_names: BTreeMap::new(),
            ignored: IgnoreRules::default(),
        }
    }

    /// Opens the directory of the project, if it is not the whole repository.
    pub fn enter_project(&mut self, directory: &str, report: &mut Report) -> anyhow::Result<()> {
        self.enter(&names::of_author(directory), report)
            .with_context(|| format!("cannot open the directory {directory}"))
    }

    /// Opens the root directory that the settings name, by default this directory.
    pub fn enter_root(&mut self, report: &mut Report) -> anyhow::Result<RepositoryLayout> {
        let settings = match self.read(SETTINGS, MAX_SETTINGS) {
            Ok(settings) => settings,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(RepositoryLayout::default()),
            Err(error) => return Err(error).context(SETTINGS),
        };
        let settings = String::from_utf8(settings).with_context(|| format!("{SETTINGS} is not valid UTF-8"))?;
        let layout = RepositoryLayout::parse(&settings, report)?;
        let root = layout.root().unwrap_or_default();
        self.enter(root, report)
            .with_context(|| format!("cannot open the directory {root}, which is the `root` in {SETTINGS}"))?;
        Ok(layout)
    }

    /// Goes on in a directory; the ignore files above it hold.
    fn enter(&mut self, path: &str, report: &mut Report) -> io::Result<()> {
        for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
            for file in IGNORE_FILES {
                self.add_ignore_file(file, report);
            }
            self.tree.enter(name)?;
            self.ignored.enter(name);
        }
        Ok(())
    }

    fn add_ignore_file(&mut self, path: &str, report: &mut Report) {
        match self.read(path, MAX_SETTINGS) {
            Ok(text) => self.ignored.add(path, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => report.error(path, format!("The file cannot be read: {error}.")),
        }
    }

    /// Lists all regular files except hidden and ignored ones.
    pub fn list(&mut self, report: &mut Report) -> anyhow::Result<Listing> {
        let mut found = Found::default();
        self.tree.walk(&mut |entry| found.add(entry))?;
        let mut listing = Listing::new();
        for (_, path) in &found.ignore_files {
            self.add_ignore_file(path, report);
        }
        for Entry { path, kind } in found.entries {
            match kind {
                EntryKind::File { size } => self.add(&mut listing, (path, size), report),
                EntryKind::Directory => {}
                EntryKind::Symlink => report.error(&path, "The file is a symbolic link, which is not followed."),
                EntryKind::Submodule => report.error(&path, "The entry is a submodule, which is not imported."),
                EntryKind::Special => {
                    report.error(&path, "The entry is neither a regular file nor a directory.");
                }
                EntryKind::InvalidName => report.error(&path, "The file name is not valid UTF-8."),
                EntryKind::Unreadable(why) => report.error(&path, why),
            }
        }
        self.remove_ignored(&mut listing, report);
        Ok(listing)
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

    /// Returns the path of a file in the tree.
    fn stored<'p>(&'p self, path: &'p str) -> &'p str {
        self.stored_names.get(path).map_or(path, String::as_str)
    }

    /// Reads a file of at most `limit` bytes.
    pub fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.tree.read(self.stored(path), limit)
    }
}

/// What is in a tree and not hidden.
#[derive(Default)]
struct Found {
    entries: Vec<Entry>,
    /// By their depth, because the rules of directories come after those of the directories above.
    ignore_files: BTreeSet<(usize, String)>,
    directories: usize,
    /// Those that were reported.
    too_deep: BTreeSet<String>,
}

impl Found {
    /// Adds an entry, and returns whether what is in it is imported.
    fn add(&mut self, entry: Entry) -> anyhow::Result<bool> {
        let is_ignore_file = IGNORE_FILES.contains(&names::file_name(&entry.path));
        if is_ignore_file && !is_hidden(names::directory(&entry.path)) {
            self.ignore_files.insert((entry.path.split('/').count(), entry.path));
            return Ok(false);
        }
        if is_hidden(&entry.path) {
            return Ok(false);
        }
        let is_directory = matches!(entry.kind, EntryKind::Directory);
        let directory = if is_directory {
            &entry.path
        } else {
            names::directory(&entry.path)
        };
        if let Some((end, _)) = format!("{directory}/").match_indices('/').nth(MAX_DEPTH) {
            let path = directory.get(..end).unwrap_or(directory).to_owned();
            if self.too_deep.insert(path.clone()) {
                let why = format!("The directory is nested more than {MAX_DEPTH} levels deep and is not imported.");
                let kind = EntryKind::Unreadable(why);
                self.entries.push(Entry { path, kind });
            }
            return Ok(false);
        }
        if is_directory {
            self.directories += 1;
        } else {
            self.entries.push(entry);
        }
        ensure!(
            self.entries.len().max(self.directories) <= MAX_FILES,
            "the directory has more than {MAX_FILES} files; split it, or import a part of it"
        );
        Ok(is_directory)
    }
}

/// Returns whether a name in the path is that of a hidden directory, or of one that has nothing to import.
fn is_hidden(path: &str) -> bool {
    path.split('/').enumerate().any(|(depth, name)| {
        let is_assets_root = depth == 0 && name == ASSETS_ROOT;
        (name.starts_with('.') && !is_assets_root) || is_output(name)
    })
}
