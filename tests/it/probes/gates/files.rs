//! Folders and what is in them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

pub fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// A file, or a folder with all that is in it; `copy_file` copies one file into a folder that is there.
pub fn copy(from: &Path, to: &Path, copy_file: fn(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()), copy_file)?;
        }
        return Ok(());
    }
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    copy_file(from, to)
}
