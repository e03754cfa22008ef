//! Asking a remote for refs, and fetching from it.

use crate::{Cache, GitError, MAX_BLOB_BYTES, Oid, RefName, Remote, remote::REMOTE};

/// The ref of what was fetched last. What was fetched before stays in the cache without one.
const FETCHED: &str = "refs/bindery/fetched";

/// What each fetch has in common.
const FETCH: [&str; 8] = [
    "fetch",
    "--quiet",
    "--force",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--no-show-forced-updates",
];

impl Cache {
    /// Returns the object that a ref of the remote names.
    pub async fn ls_remote(&self, remote: &mut Remote, name: &RefName) -> Result<Option<Oid>, GitError> {
        let words = ["ls-remote", "--quiet", "--", REMOTE, name.as_str()];
        let output = self.connect(remote, words, self.git.limits.query).await?;
        let text = String::from_utf8_lossy(&output);
        // A name matches the end of others too.
        let found = text.lines().filter_map(|line| line.split_once('\t'));
        found
            .filter(|(_, found)| *found == name.as_str())
            .map(|(oid, _)| oid.parse())
            .next()
            .transpose()
    }

    /// Returns the branch that the remote names as its default. An empty repository may have none.
    pub async fn default_branch(&self, remote: &mut Remote) -> Result<Option<RefName>, GitError> {
        let words = ["ls-remote", "--quiet", "--symref", "--", REMOTE, "HEAD"];
        let output = self.connect(remote, words, self.git.limits.query).await?;
        let text = String::from_utf8_lossy(&output);
        let mut found = text
            .lines()
            .filter_map(|line| line.strip_prefix("ref: ")?.strip_suffix("\tHEAD"));
        found.next().map(RefName::parse).transpose()
    }

    /// Fetches the newest commit of a ref, and returns it. Empties the cache before if it is large.
    pub async fn fetch(&self, remote: &mut Remote, name: &RefName) -> Result<Oid, GitError> {
        self.make_room()?;
        self.fetch_one(remote, &format!("+{name}:{FETCHED}")).await?;
        let commit = format!("{FETCHED}^{{commit}}");
        let output = self
            .read(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
            .await?;
        String::from_utf8_lossy(&output).trim().parse()
    }

    /// Fetches a commit that the cache had before. Not all servers allow that.
    pub async fn fetch_commit(&self, remote: &mut Remote, commit: Oid) -> Result<(), GitError> {
        self.make_room()?;
        self.fetch_one(remote, &commit.to_string()).await
    }

    /// Returns whether the cache has a commit and its files.
    pub async fn contains(&self, commit: Oid) -> Result<bool, GitError> {
        let tree = format!("{commit}^{{tree}}");
        let (_, ended) = self.try_read(["cat-file", "-e", &tree], 0).await?;
        Ok(ended.is_success)
    }

    async fn fetch_one(&self, remote: &mut Remote, refspec: &str) -> Result<(), GitError> {
        let filter = format!("--filter=blob:limit={MAX_BLOB_BYTES}");
        self.fetch_with(remote, &["--depth=1", &filter], refspec).await
    }

    pub(crate) async fn fetch_with(
        &self,
        remote: &mut Remote,
        options: &[&str],
        refspec: &str,
    ) -> Result<(), GitError> {
        self.prepare().await?;
        self.begin_change()?;
        let words = FETCH
            .into_iter()
            .chain(options.iter().copied())
            .chain(["--", REMOTE, refspec]);
        let fetched = self.connect(remote, words, self.git.limits.transfer).await;
        // Where git was killed, its files may be left.
        if !matches!(
            fetched,
            Err(GitError::TooSlow
                | GitError::TooLarge
                | GitError::Failed(_)
                | GitError::Corrupt(_)
                | GitError::Server(_))
        ) {
            self.end_change()?;
        }
        fetched.map(drop)
    }
}
