//! The archives of periodic backups in their directory or bucket.

use anyhow::Context;
use entity::timestamp::Timestamp;

use crate::{
    blobs::{delete_object, list_objects},
    config::BlobAddress,
};

/// Names sort by their time.
const PATTERN: &str = "bindery-%Y%m%dT%H%M%SZ.tar";

pub fn archive_name(time: Timestamp) -> String {
    time.to_utc().format(PATTERN).to_string()
}

/// Returns whether a name is that of a periodic backup: others are left alone.
fn is_archive(name: &str) -> bool {
    let Ok(time) = chrono::NaiveDateTime::parse_from_str(name, PATTERN) else {
        return false;
    };
    archive_name(time.and_utc().into()) == name
}

/// Removes all but the newest archives.
pub async fn prune(address: &BlobAddress, keep: usize) -> anyhow::Result<()> {
    let mut names = list_objects(address).await?;
    names.retain(|name| is_archive(name));
    names.sort_unstable_by(|a, b| b.cmp(a));
    for name in names.iter().skip(keep) {
        delete_object(address, name)
            .await
            .with_context(|| format!("cannot remove the old backup {name}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[tokio::test]
    async fn only_old_archives_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |day: i64| archive_name(Timestamp::from_millis(day * 86_400_000));
        let others = [
            "notes.txt",
            "bindery-old.tar",
            "bindery-20261301T000000Z.tar",
            "bindery-20261130T000000Z.tar.gz",
        ];
        for name in [at(1), at(3), at(2)].iter().map(String::as_str).chain(others) {
            fs::write(directory.path().join(name), "").unwrap();
        }
        fs::create_dir(directory.path().join("below")).unwrap();
        fs::write(directory.path().join("below").join(at(0)), "").unwrap();
        prune(&BlobAddress::Local(directory.path().to_owned()), 2)
            .await
            .unwrap();
        let is_there = |name: &str| directory.path().join(name).exists();
        assert!(!is_there(&at(1)) && is_there(&at(2)) && is_there(&at(3)));
        assert!(others.iter().all(|name| is_there(name)));
        assert!(is_there(&format!("below/{}", at(0))));
    }
}
