//! Pushing commits.

use crate::{
    Cache, GitError, Oid, RefName, Remote,
    limits::MAX_MESSAGE,
    remote::REMOTE,
    text::{clean, remote_lines},
};

/// Reasons that say that the branch is not where it was.
const STALE: [&str; 7] = [
    "stale info",
    "fetch first",
    "non-fast-forward",
    "cannot lock ref",
    "failed to update ref",
    "incorrect old value",
    "already exists",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    Pushed,
    Rejected(Rejection),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejection {
    /// Somebody else pushed before.
    Stale,
    /// The remote does not accept it, as of a protected branch. With its message.
    Denied(String),
}

impl Cache {
    /// Pushes a commit to a branch that is at `tip`. `None`: that does not exist.
    pub async fn push(
        &self,
        remote: &mut Remote,
        branch: &RefName,
        tip: Option<Oid>,
        commit: Oid,
    ) -> Result<PushOutcome, GitError> {
        if branch.as_branch().is_none() {
            return Err(GitError::Ref);
        }
        let tip = tip.map(|tip| tip.to_string()).unwrap_or_default();
        let (lease, refspec) = (
            format!("--force-with-lease={branch}:{tip}"),
            format!("{commit}:{branch}"),
        );
        let words = [
            "push",
            "--porcelain",
            "--atomic",
            "--no-verify",
            "--no-progress",
            &lease,
            "--",
            REMOTE,
            &refspec,
        ];
        let (output, ended) = self.try_connect(remote, words, self.git.limits.transfer).await?;
        let output = String::from_utf8_lossy(&output);
        // `<flag>\t<from>:<to>\t<summary> (<reason>)`
        let refused = output
            .lines()
            .find_map(|line| line.strip_prefix("!\t")?.split('\t').nth(1));
        if let Some(reason) = refused {
            return Ok(PushOutcome::Rejected(rejection(reason, &ended.stderr)));
        }
        if ended.is_success {
            return Ok(PushOutcome::Pushed);
        }
        match GitError::of_stderr(&ended.stderr) {
            GitError::Forbidden(message) => Ok(PushOutcome::Rejected(Rejection::Denied(message))),
            error => Err(error),
        }
    }
}

fn rejection(reason: &str, stderr: &str) -> Rejection {
    if STALE.iter().any(|stale| reason.contains(stale)) {
        return Rejection::Stale;
    }
    let reason = reason
        .split_once('(')
        .map_or(reason, |(_, reason)| reason.trim_end_matches(')'));
    let message = format!("{reason}. {}", remote_lines(stderr));
    Rejection::Denied(clean(&message, MAX_MESSAGE))
}
