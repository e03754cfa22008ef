//! Files that differ between two commits.

use tokio::time::timeout;

use crate::{
    Cache, GitError, Mode, Oid,
    process::Call,
    tree::{next_record, path},
};

/// Files in each of two commits, beyond which only renames of equal files are found.
const MAX_RENAMES: usize = 2000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    /// With the path before.
    Renamed {
        from: Result<String, String>,
    },
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub kind: ChangeKind,
    /// Of a deleted file, those before.
    pub mode: Mode,
    pub oid: Oid,
    /// From the root. `Err`: not UTF-8.
    pub path: Result<String, String>,
}

impl Cache {
    /// Lists what differs between two commits in the cache. A file that moved and is more than half the same is renamed.
    pub async fn changes(&self, old: Oid, new: Oid, max: usize) -> Result<Vec<Change>, GitError> {
        match self.changes_with("-M", old, new, max).await {
            // Files that were not fetched cannot be compared, and equal ones need not be.
            Err(GitError::NotInCache) if self.contains(old).await? && self.contains(new).await? => {
                self.changes_with("-M100%", old, new, max).await
            }
            changes => changes,
        }
    }

    async fn changes_with(&self, renames: &str, old: Oid, new: Oid, max: usize) -> Result<Vec<Change>, GitError> {
        let repository = self.repository();
        let (limit, old, new) = (
            format!("-l{MAX_RENAMES}"),
            format!("{old}^{{tree}}"),
            format!("{new}^{{tree}}"),
        );
        let words = [
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-abbrev",
            renames,
            &limit,
            "--end-of-options",
            &old,
            &new,
        ];
        let call = Call::local(Some(&repository), words);
        let work = async {
            let mut running = self.git.start(&call, false).await?;
            let mut changes = Vec::new();
            while let Some(head) = next_record(&mut running).await? {
                let first = next_record(&mut running).await?.unwrap_or_default();
                let is_rename = head
                    .rsplit(|byte| *byte == b' ')
                    .next()
                    .is_some_and(|kind| kind.starts_with(b"R"));
                let second = if is_rename {
                    next_record(&mut running).await?
                } else {
                    None
                };
                let change = parse(&head, &first, second.as_deref());
                changes.push(change.ok_or_else(|| GitError::failed("A change cannot be read."))?);
                if changes.len() > max {
                    return Err(GitError::TooManyFiles(max));
                }
            }
            let ended = running.end().await?;
            match ended.is_success {
                true => Ok(changes),
                false => Err(GitError::of_stderr(&ended.stderr)),
            }
        };
        timeout(self.git.limits.local, work)
            .await
            .unwrap_or(Err(GitError::TooSlow))
    }
}

/// `:<old mode> <new mode> <old object> <new object> <kind>`, the path, and that after a rename.
fn parse(head: &[u8], first: &[u8], second: Option<&[u8]>) -> Option<Change> {
    let head = std::str::from_utf8(head).ok()?.strip_prefix(':')?;
    let words: Vec<&str> = head.split(' ').collect();
    let [old_mode, new_mode, old_oid, new_oid, kind] = words.as_slice() else {
        return None;
    };
    let (mode, oid) = if *kind == "D" {
        (old_mode, old_oid)
    } else {
        (new_mode, new_oid)
    };
    Some(Change {
        mode: Mode::parse(mode)?,
        oid: oid.parse().ok()?,
        path: path(second.unwrap_or(first)),
        kind: match kind.get(..1)? {
            "A" => ChangeKind::Added,
            "D" => ChangeKind::Deleted,
            "R" => ChangeKind::Renamed { from: path(first) },
            _ => ChangeKind::Modified,
        },
    })
}
