//! The question whether a branch was rewritten.

use std::{collections::HashSet, fs};

use crate::{Cache, GitError, Oid, Remote, limits::DEPTHS};

/// Relation of an older commit to the tip of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ancestry {
    Ancestor,
    /// The branch was rewritten.
    NotAncestor,
    /// Not among the newest thousands, or the server does not tell.
    Unknown,
}

impl Cache {
    /// Returns whether `new` is based on `old`. Fetches commits without their files, a few thousand at most.
    pub async fn is_ancestor(&self, remote: &mut Remote, old: Oid, new: Oid) -> Result<Ancestry, GitError> {
        if let Some(known) = self.known_ancestry(old, new).await? {
            return Ok(known);
        }
        for depth in DEPTHS {
            let options = [&format!("--depth={depth}"), "--filter=tree:0"];
            match self.fetch_with(remote, &options, &new.to_string()).await {
                Ok(()) => {}
                // Not all servers give commits that no ref names.
                Err(GitError::Failed(_) | GitError::NoRef | GitError::NotInCache) => return Ok(Ancestry::Unknown),
                Err(error) => return Err(error),
            }
            if let Some(known) = self.known_ancestry(old, new).await? {
                return Ok(known);
            }
        }
        Ok(Ancestry::Unknown)
    }

    /// `None`: the commits in the cache do not tell.
    async fn known_ancestry(&self, old: Oid, new: Oid) -> Result<Option<Ancestry>, GitError> {
        let most = DEPTHS.into_iter().max().unwrap_or_default();
        let commits = self
            .read(["rev-list", &format!("--max-count={most}"), &new.to_string()])
            .await?;
        let commits = String::from_utf8_lossy(&commits);
        let commits: HashSet<&str> = commits.lines().collect();
        if commits.contains(old.to_string().as_str()) {
            return Ok(Some(Ancestry::Ancestor));
        }
        if commits.len() >= most {
            return Ok(Some(Ancestry::Unknown));
        }
        // Commits whose parents were not fetched.
        let cut = fs::read_to_string(self.repository().join("shallow")).unwrap_or_default();
        let is_cut = cut.lines().any(|commit| commits.contains(commit));
        Ok((!is_cut).then_some(Ancestry::NotAncestor))
    }
}
