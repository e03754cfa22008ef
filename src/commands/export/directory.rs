//! Directories that are written completely, or not at all.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

/// A new directory, which is removed unless it is put in its place.
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Creates it beside the directory that it will become.
    pub fn beside(directory: &Path) -> anyhow::Result<Self> {
        let path = beside(directory, "new")?;
        fs::create_dir(&path).with_context(|| {
            let shown = path.display();
            format!("cannot create {shown}; an export that was interrupted may have left it behind: remove it")
        })?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Renames it, in place of an earlier one.
    pub fn put_in_place(self, directory: &Path) -> anyhow::Result<()> {
        put_in_place(&self.0, directory)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // It is not there any more, or the error that is reported is the one before.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns whether there is no directory yet, or an empty one.
pub fn is_free(directory: &Path) -> anyhow::Result<bool> {
    match fs::read_dir(directory) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", directory.display())),
    }
}

/// The directory of the same name with another ending, in the same place, so that it can be renamed.
fn beside(directory: &Path, ending: &str) -> anyhow::Result<PathBuf> {
    let shown = directory.display();
    let name = directory.file_name();
    let name = name.with_context(|| format!("{shown} has no name; write the path with the name of the directory"))?;
    let mut other = name.to_owned();
    other.push(format!(".{ending}"));
    Ok(directory.with_file_name(other))
}

fn put_in_place(unfinished: &Path, directory: &Path) -> anyhow::Result<()> {
    let context = || format!("cannot rename {} to {}", unfinished.display(), directory.display());
    if is_free(directory)? {
        return fs::rename(unfinished, directory).with_context(context);
    }
    let old = beside(directory, "old")?;
    fs::rename(directory, &old)
        .with_context(|| format!("cannot rename {} to {}", directory.display(), old.display()))?;
    if let Err(error) = fs::rename(unfinished, directory) {
        fs::rename(&old, directory).with_context(|| format!("the earlier export is in {}", old.display()))?;
        return Err(error).with_context(context);
    }
    fs::remove_dir_all(&old).with_context(|| format!("cannot remove {}", old.display()))
}
