//! The files of a commit.

use std::{collections::BTreeMap, io, sync::Arc};

use git::{Blobs, Cache, GitError, MAX_BLOB_BYTES, Mode, Oid, RefName, Remote, TreeLimits};
use tokio::{runtime::Handle, sync::Mutex};

use super::SyncError;
use crate::areas::exchange::{
    export::SUMMARY,
    import::{Entry, EntryKind, FileList, FileTree, MAX_FILES, MAX_TOTAL, Report, RepositoryLayout, SETTINGS},
};

const LIMITS: TreeLimits = TreeLimits {
    entries: MAX_FILES,
    bytes: MAX_TOTAL,
};

/// The files of the directory of a space, with what reads them.
#[derive(Clone)]
pub struct GitTree {
    entries: Arc<Vec<git::Entry>>,
    /// The directory of the project in the repository, and the root that its settings name.
    project: String,
    root: String,
    summary: Option<String>,
    /// The places of the files below the root in `entries`.
    by_path: Arc<BTreeMap<String, usize>>,
    blobs: Arc<Mutex<Blobs>>,
}

impl GitTree {
    /// Fetches a branch, and lists its newest commit. Refuses if it has no files.
    pub async fn fetch(
        cache: &Cache,
        remote: &mut Remote,
        reference: &RefName,
        project: &str,
    ) -> Result<(Oid, Self), SyncError> {
        let tip = cache.fetch(remote, reference).await?;
        let tree = Self::of(cache, Some(tip), project).await?;
        match tree.by_path.is_empty() {
            true => Err(SyncError::Refused(
                "The branch has no files in this directory.".to_owned(),
            )),
            false => Ok((tip, tree)),
        }
    }

    /// Lists a commit. `None`: a branch without one.
    pub async fn of(cache: &Cache, commit: Option<Oid>, project: &str) -> Result<Self, SyncError> {
        let entries = match commit {
            Some(commit) => match cache.list(commit, project, LIMITS).await {
                Err(GitError::NoDirectory) => Vec::new(),
                listed => listed?,
            },
            None => Vec::new(),
        };
        let mut tree = Self {
            entries: Arc::new(entries),
            project: project.to_owned(),
            root: String::new(),
            summary: None,
            by_path: Arc::default(),
            blobs: Arc::new(Mutex::new(cache.blobs().await?)),
        };
        tree.index();
        if let Some(settings) = tree.read(SETTINGS).await? {
            let settings = String::from_utf8_lossy(&settings);
            let layout = RepositoryLayout::parse(&settings, &mut Report::default());
            let layout = layout.map_err(|error| SyncError::Refused(format!("{error:#}.")))?;
            tree.summary = layout.summary().map(str::to_owned);
            tree.root = layout.root().unwrap_or_default().to_owned();
            tree.index();
        }
        Ok(tree)
    }

    fn index(&mut self) {
        let inside = match self.root.as_str() {
            "" => String::new(),
            root => format!("{root}/"),
        };
        let files = self.entries.iter().enumerate().filter_map(|(at, entry)| {
            let path = entry.path.as_deref().ok()?.strip_prefix(&inside)?;
            matches!(entry.mode, Mode::Regular | Mode::Executable).then(|| (path.to_owned(), at))
        });
        self.by_path = Arc::new(files.collect());
    }

    /// The path of the table of contents.
    pub fn summary(&self) -> &str {
        let usual = || self.paths().find(|path| path.eq_ignore_ascii_case(SUMMARY));
        self.summary.as_deref().or_else(usual).unwrap_or(SUMMARY)
    }

    /// Paths from the root of the space.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_path.keys().map(String::as_str)
    }

    fn entry(&self, path: &str) -> Option<&git::Entry> {
        self.entries.get(*self.by_path.get(path)?)
    }

    pub fn oid(&self, path: &str) -> Option<Oid> {
        self.entry(path).map(|entry| entry.oid)
    }

    /// The blobs of all files by their paths.
    pub fn oids(&self) -> BTreeMap<String, Oid> {
        let found = self.paths().filter_map(|path| Some((path.to_owned(), self.oid(path)?)));
        found.collect()
    }

    pub fn mode(&self, path: &str) -> Mode {
        self.entry(path).map_or(Mode::Regular, |entry| entry.mode)
    }

    /// The path from the top of the repository.
    pub fn full(&self, path: &str) -> String {
        let parts = [self.project.as_str(), self.root.as_str(), path];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("/")
    }

    /// The path from the root of the space, of one from the top of the repository.
    pub fn inner<'p>(&self, path: &'p str) -> Option<&'p str> {
        match self.full("").as_str() {
            "" => Some(path),
            base => path.strip_prefix(base)?.strip_prefix('/'),
        }
    }

    /// Reads a file. `None`: there is none, or it is too large.
    pub async fn read(&self, path: &str) -> Result<Option<Vec<u8>>, GitError> {
        match self.oid(path) {
            Some(oid) => self.blobs.lock().await.read(oid, MAX_BLOB_BYTES).await,
            None => Ok(None),
        }
    }

    /// The files for an import, which reads them on a thread that may block.
    pub fn source(&self) -> Box<dyn FileTree> {
        let (blobs, runtime) = (Arc::clone(&self.blobs), Handle::current());
        let entries: Vec<(Entry, Oid)> = self.entries.iter().map(|entry| (imported(entry), entry.oid)).collect();
        Box::new(FileList::new(entries, move |oid, limit| {
            let read = runtime.block_on(async { blobs.lock().await.read(*oid, limit).await });
            match read.map_err(|error| io::Error::other(error.to_string()))? {
                Some(bytes) if git::is_lfs_pointer(&bytes) => {
                    Err(io::Error::other("it is stored by Git LFS, which is not read"))
                }
                Some(bytes) => Ok(bytes),
                None => Err(io::Error::other(format!("it has more than {limit} bytes"))),
            }
        }))
    }
}

fn imported(entry: &git::Entry) -> Entry {
    let kind = match (entry.mode, &entry.path) {
        (_, Err(_)) => EntryKind::InvalidName,
        (Mode::Symlink, _) => EntryKind::Symlink,
        (Mode::Submodule, _) => EntryKind::Submodule,
        (Mode::Regular | Mode::Executable, _) => EntryKind::File {
            // A blob that was not fetched is larger than any file may be.
            size: entry.size.unwrap_or(MAX_BLOB_BYTES.saturating_add(1)),
        },
    };
    let path = match &entry.path {
        Ok(path) | Err(path) => path.clone(),
    };
    Entry { path, kind }
}
