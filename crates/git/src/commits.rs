//! Parents and messages of commits.

use crate::{Cache, GitError, Oid};

/// A commit in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSummary {
    pub parents: Vec<Oid>,
    pub message: String,
}

impl CommitSummary {
    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// The value of a line `<name>: <value>` at the end of the message.
    pub fn trailer(&self, name: &str) -> Option<&str> {
        let mut lines = self
            .message
            .trim_end()
            .lines()
            .rev()
            .take_while(|line| !line.is_empty());
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn parse(object: &str) -> Self {
        let (head, message) = object.split_once("\n\n").unwrap_or((object, ""));
        let parents = head
            .lines()
            .filter_map(|line| line.strip_prefix("parent ")?.parse().ok());
        Self {
            parents: parents.collect(),
            message: message.to_owned(),
        }
    }
}

impl Cache {
    pub async fn commit(&self, commit: Oid) -> Result<CommitSummary, GitError> {
        let output = self.read(["cat-file", "commit", &commit.to_string()]).await?;
        Ok(CommitSummary::parse(&String::from_utf8_lossy(&output)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_has_parents_a_subject_and_trailers() {
        let object = format!(
            "tree {0}\nparent {0}\nparent {0}\nauthor A <a@b> 1 +0000\n\nChange it\n\nWhy: no\n\nRevision: 06\n",
            "a".repeat(40)
        );
        let commit = CommitSummary::parse(&object);
        assert_eq!(commit.parents.len(), 2);
        assert_eq!(commit.subject(), "Change it");
        assert_eq!(commit.trailer("Revision"), Some("06"));
        assert_eq!(commit.trailer("Why"), None);
    }
}
