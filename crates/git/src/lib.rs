//! The `git` program, run within limits: reading repositories into the server, and pushing commits to them.
//!
//! There is never a work tree. A bare repository in a [`Cache`] has what was fetched, and may vanish at any time. The crate
//! decides nothing about addresses: a [`Remote`] names those that were checked, and nothing else is connected to.

mod address;
mod ancestry;
mod blobs;
mod cache;
mod changes;
mod commits;
mod credentials;
mod environment;
mod error;
mod export;
mod fetch;
mod launcher;
mod limits;
mod names;
mod process;
mod push;
mod remote;
mod ssh;
mod text;
mod tree;
mod version;

use std::path::PathBuf;

use self::process::Call;

pub use self::address::{AddressError, Protocol, Protocols, RemoteAddress};
pub use self::ancestry::Ancestry;
pub use self::blobs::{Blobs, hash_object, is_lfs_pointer};
pub use self::cache::Cache;
pub use self::changes::{Change, ChangeKind};
pub use self::commits::CommitSummary;
pub use self::credentials::Credentials;
pub use self::error::GitError;
pub use self::export::{Commit, CommitInfo, Signature};
pub use self::launcher::run_if_child;
pub use self::limits::{Limits, MAX_BLOB_BYTES};
pub use self::names::{Oid, RefName};
pub use self::push::{PushOutcome, Rejection};
pub use self::remote::Remote;
pub use self::tree::{Entry, Mode, TreeLimits};
pub use self::version::{MINIMUM, Version};

/// How git is run.
#[derive(Debug, Clone)]
pub struct Git {
    /// The program that starts git and answers its questions for passwords: its `main` calls [`run_if_child`] first.
    launcher: PathBuf,
    program: PathBuf,
    protocols: Protocols,
    limits: Limits,
}

impl Git {
    pub fn new(launcher: PathBuf, protocols: Protocols, limits: Limits) -> Self {
        Self {
            launcher,
            program: "git".into(),
            protocols,
            limits,
        }
    }

    /// Runs this program in place of the `git` in `PATH`.
    #[must_use]
    pub fn with_program(self, program: PathBuf) -> Self {
        Self { program, ..self }
    }

    pub fn protocols(&self) -> Protocols {
        self.protocols
    }

    /// Returns the version, or that git is missing or too old.
    pub async fn version(&self) -> Result<Version, GitError> {
        let output = self.run(Call::local(None, ["version"])).await?;
        let text = String::from_utf8_lossy(&output);
        let version = version::parse(&text).ok_or_else(|| GitError::failed(&text))?;
        match version < MINIMUM {
            true => Err(GitError::TooOld(version)),
            false => Ok(version),
        }
    }
}
