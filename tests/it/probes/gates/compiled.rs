//! What cargo compiled once needs not be compiled again for a copy of the workspace.

use std::{collections::HashSet, ffi::OsStr, fs, io, path::Path};

use super::files::{self, entries};

/// Gives the profile folder `to` what was compiled in `from` of the packages that `lock` takes from elsewhere. Those of the
/// workspace are not among them: cargo would take them for those of the copy. Libraries are links: cargo never writes into
/// those that are up to date, and compiles others to other names.
pub fn share(lock: &str, from: &Path, to: &Path) -> io::Result<()> {
    let dependencies = dependencies(lock);
    let mut hashes = Vec::new();
    for folder in entries(&from.join(".fingerprint"))? {
        if let Some((package, hash)) = name_and_hash(&folder)
            && dependencies.contains(package)
        {
            files::copy(&folder, &to.join(".fingerprint").join(name(&folder)), as_it_is)?;
            hashes.push(hash.to_owned());
        }
    }
    let is_shared = |path: &Path| name_and_hash(path).is_some_and(|(_, hash)| hashes.iter().any(|known| known == hash));
    for folder in entries(&from.join("build"))?.iter().filter(|path| is_shared(path)) {
        files::copy(folder, &to.join("build").join(name(folder)), as_it_is)?;
    }
    fs::create_dir_all(to.join("deps"))?;
    for file in entries(&from.join("deps"))?.iter().filter(|path| is_shared(path)) {
        fs::hard_link(file, to.join("deps").join(name(file)))?;
    }
    Ok(())
}

/// Packages of the workspace have no source.
fn dependencies(lock: &str) -> HashSet<&str> {
    let packages = lock
        .split("[[package]]")
        .filter(|package| package.contains("\nsource = "));
    packages
        .filter_map(|package| package.lines().find_map(|line| line.strip_prefix("name = ")))
        .map(|name| name.trim_matches('"'))
        .collect()
}

fn name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// As in `serde-0123456789abcdef` and `libserde-0123456789abcdef.rlib`.
fn name_and_hash(path: &Path) -> Option<(&str, &str)> {
    path.file_stem()?.to_str()?.rsplit_once('-')
}

/// With its times, by which cargo sees whether it is up to date.
fn as_it_is(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    fs::File::open(to)?.set_modified(fs::metadata(from)?.modified()?)
}
