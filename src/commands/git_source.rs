//! A branch of a Git repository, as commands name it.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use git::RefName;

use crate::areas::exchange::git::request::Request;

/// The branch, if none is named.
const BRANCH: &str = "main";

#[derive(Debug, Args)]
pub struct Branch {
    /// Branch of a Git repository, or a reference such as refs/pull/7/head [default: main]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// File with the token for the host of a Git repository over HTTPS
    #[arg(long, value_name = "FILE")]
    git_token_file: Option<PathBuf>,
}

impl Branch {
    /// What to read from the repository, or to write to it.
    pub fn request(self, url: &str, directory: Option<String>) -> anyhow::Result<Request> {
        let reference = match self.branch.as_deref().unwrap_or(BRANCH) {
            name if name.starts_with("refs/") => name.to_owned(),
            name => format!("refs/heads/{name}"),
        };
        RefName::parse(&reference).map_err(|error| anyhow!("invalid branch: {error}"))?;
        let request = Request::once(url.to_owned(), reference, directory);
        let Some(file) = self.git_token_file else {
            return Ok(request);
        };
        let token = std::fs::read_to_string(&file);
        let token = token.with_context(|| format!("cannot read the token in {}", file.display()))?;
        Ok(request.with_token(token.trim().to_owned()))
    }

    /// Refuses options that another source does not take.
    pub fn require_none(&self) -> anyhow::Result<()> {
        if self.branch.is_some() || self.git_token_file.is_some() {
            bail!("--branch and --git-token-file are for addresses of Git repositories");
        }
        Ok(())
    }
}

/// Returns whether a source is the address of a repository instead of a path: `https://…`, `ssh://…`, or `git@host:path`.
pub fn is_address(source: &str) -> bool {
    source.contains("://") || (source.starts_with("git@") && source.contains(':'))
}
