//! What cargo compiled once needs not be compiled again for a copy of the workspace.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

/// The packages of the workspace. Cargo would take those of the copy for them, so each has its own.
const OWN: [&str; 5] = ["bindery", "entity", "migration", "openapi", "openapi-codegen"];

/// Gives the profile folder `to` the dependencies that were compiled in `from`. Libraries are links: cargo never writes into
/// those that are up to date, and compiles others to other names.
pub fn share(from: &Path, to: &Path) -> io::Result<()> {
    let mut hashes = Vec::new();
    for folder in entries(&from.join(".fingerprint"))? {
        if let Some((package, hash)) = name_and_hash(&folder)
            && !OWN.contains(&package)
        {
            copy_as_it_is(&folder, &to.join(".fingerprint").join(name(&folder)))?;
            hashes.push(hash.to_owned());
        }
    }
    let is_shared = |path: &Path| name_and_hash(path).is_some_and(|(_, hash)| hashes.iter().any(|known| known == hash));
    for folder in entries(&from.join("build"))?.iter().filter(|path| is_shared(path)) {
        copy_as_it_is(folder, &to.join("build").join(name(folder)))?;
    }
    fs::create_dir_all(to.join("deps"))?;
    for file in entries(&from.join("deps"))?.iter().filter(|path| is_shared(path)) {
        fs::hard_link(file, to.join("deps").join(name(file)))?;
    }
    Ok(())
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

fn name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// As in `serde-0123456789abcdef` and `libserde-0123456789abcdef.rlib`.
fn name_and_hash(path: &Path) -> Option<(&str, &str)> {
    path.file_stem()?.to_str()?.rsplit_once('-')
}

/// With its times, by which cargo sees whether it is up to date.
fn copy_as_it_is(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in entries(from)? {
            copy_as_it_is(&entry, &to.join(name(&entry)))?;
        }
        return Ok(());
    }
    fs::copy(from, to)?;
    fs::File::open(to)?.set_modified(fs::metadata(from)?.modified()?)
}
