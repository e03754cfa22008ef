//! The data directory and the file store.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

use anyhow::{Context, bail};
use platform::{
    blobs::BlobStorage,
    config::{BlobAddress, Settings},
    db::{Clock, IdSource},
};
use rustix::process::geteuid;

use super::{super::connect::check_writable, Finding};

/// Checks whose the data is, and who can read it.
pub fn data_directory(settings: &Settings) -> anyhow::Result<Finding> {
    let directory = &settings.data_dir;
    let shown = directory.display();
    if !directory.exists() {
        return Ok(Finding::Fine(format!(
            "{shown} does not exist yet; the server creates it"
        )));
    }
    check_writable(directory).with_context(|| format!("cannot write to {shown}"))?;
    check_owner(directory)?;
    for file in settings.private_files() {
        let Ok(metadata) = fs::metadata(&file) else {
            continue;
        };
        check_owner(&file)?;
        if metadata.permissions().mode() & 0o077 != 0 {
            bail!("other users can read {0}; run chmod 600 {0}", file.display());
        }
    }
    Ok(Finding::Fine(format!("{shown} is writable")))
}

/// Files that a command of another user creates cannot be used by the server.
fn check_owner(path: &Path) -> anyhow::Result<()> {
    let (owner, user) = (fs::metadata(path)?.uid(), geteuid().as_raw());
    if owner != user {
        bail!(
            "{} belongs to the user {owner}, but this command runs as {user}: run commands as the user of the server",
            path.display()
        );
    }
    Ok(())
}

/// Checks the file store. An absent local directory is left for the server to create.
pub async fn blobs(address: &BlobAddress) -> anyhow::Result<Finding> {
    if let BlobAddress::Local(directory) = address
        && !directory.exists()
    {
        return Ok(Finding::Fine(format!(
            "{address} does not exist yet; the server creates it"
        )));
    }
    let checked = BlobStorage::new(address.clone())
        .check(IdSource::new(Clock::system()).next())
        .await;
    checked.with_context(|| format!("cannot use the file store {address}"))?;
    Ok(Finding::Fine(format!("{address} is readable and writable")))
}
