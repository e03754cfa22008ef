//! The source that an operator or a caller names.

use std::{fs::File, path::PathBuf};

use anyhow::Context;

use super::{directory::Directory, file_tree::FileTree, zip};

/// What is imported.
pub enum ImportSource {
    /// A directory, or a file that is a zip archive.
    Path(PathBuf),
    Tree(Box<dyn FileTree>),
}

impl ImportSource {
    pub(super) fn open(self) -> anyhow::Result<Box<dyn FileTree>> {
        match self {
            Self::Path(path) if path.is_file() => {
                let archive = || Ok::<_, anyhow::Error>(zip::open(File::open(&path)?)?);
                let archive = archive().with_context(|| format!("cannot read the archive {}", path.display()))?;
                Ok(Box::new(archive))
            }
            Self::Path(path) => Ok(Box::new(Directory::open(&path)?)),
            Self::Tree(tree) => Ok(tree),
        }
    }
}
