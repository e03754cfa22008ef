//! What answers show of the Git repository of a space: its synchronization, and the commits of revisions.

use entity::{
    exchange::{
        git_commits,
        git_syncs::{self, GitProvider},
    },
    ids::{GitInstallationId, NodeId, RevisionId},
    timestamp::Timestamp,
};
use openapi::models::{GitSyncCommit, GitSyncProvider, GitSyncState, GitSyncStateInstallationStatus};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait};

use crate::kernel::wire::{ToWire, time, wire_enums};

wire_enums! {
    GitProvider as GitSyncProvider { Github, Gitlab }
}

/// A branch with which a space is synchronized.
pub struct GitSync {
    /// `None`: nothing has been synchronized yet.
    pub address: Option<String>,
    pub tree_url: Option<String>,
    pub provider: Option<GitProvider>,
    pub updated_at: Timestamp,
    pub installation: Option<GitInstallationId>,
    /// Whether the installation is set up.
    pub is_followed: bool,
    pub is_unauthenticated: bool,
}

impl From<&git_syncs::Model> for GitSync {
    fn from(row: &git_syncs::Model) -> Self {
        Self {
            address: row.address.clone(),
            tree_url: row.tree_url.clone(),
            provider: row.provider,
            updated_at: row.updated_at,
            installation: row.installation_id,
            is_followed: row.next_poll_at.is_some(),
            is_unauthenticated: row.is_unauthenticated,
        }
    }
}

impl GitSync {
    pub fn state(&self, space: NodeId) -> GitSyncState {
        GitSyncState {
            repo_name: self.address.as_deref().and_then(repository_name),
            installation_id: Some(match self.installation {
                Some(installation) => installation.to_string(),
                None => space.to_string(),
            }),
            installation_status: Some(match (self.is_unauthenticated, &self.address) {
                (true, _) => GitSyncStateInstallationStatus::Unauthenticated,
                (false, None) if !self.is_followed => GitSyncStateInstallationStatus::Pending,
                (false, _) => GitSyncStateInstallationStatus::Active,
            }),
            installation_provider: self.provider.map(ToWire::to_wire),
            integration: None,
            url: self.tree_url.clone().or_else(|| self.address.clone()),
            updated_at: Some(time(self.updated_at)),
            operation: None,
            operation_timeout: None,
            last_error: None,
            next_try_at: None,
        }
    }
}

/// The owner and the name of the repository.
fn repository_name(address: &str) -> Option<String> {
    let path = address.trim_end_matches('/').trim_end_matches(".git");
    let mut names = path.rsplit(['/', ':']);
    let (name, owner) = (names.next()?, names.next()?);
    Some(format!("{owner}/{name}"))
}

/// The commit with the content of a revision.
pub async fn commit(db: &impl ConnectionTrait, revision: RevisionId) -> Result<Option<GitSyncCommit>, DbErr> {
    let found = git_commits::Entity::find_by_id(revision).one(db).await?;
    Ok(found.map(|row| GitSyncCommit {
        oid: data_encoding::HEXLOWER.encode(&row.oid),
        message: row.message,
        created_by_git_book: row.is_own,
        url: row.url,
        r#ref: Some(row.reference),
    }))
}
