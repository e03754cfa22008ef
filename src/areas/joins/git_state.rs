//! What answers show of the Git repository of a space: its synchronization, and the commits of revisions.

use std::collections::HashMap;

use entity::{
    exchange::{
        git_commits, git_entries,
        git_syncs::{self, GitProvider},
    },
    ids::{GitInstallationId, NodeId, RevisionId},
    timestamp::Timestamp,
};
use openapi::models::{GitSyncBlob, GitSyncCommit, GitSyncProvider, GitSyncState, GitSyncStateInstallationStatus};
use platform::hash::Hash;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use url::Url;
use uuid::Uuid;

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

/// Changes with the files that pages are in.
pub fn tag(commit: &[u8], directory: &str) -> Hash {
    Hash::of(&[commit, directory.as_bytes()].concat())
}

/// The address of the files of the repository for people, with their tag.
pub async fn tree_url(db: &impl ConnectionTrait, space: NodeId) -> Result<Option<(String, Vec<u8>)>, DbErr> {
    let sync = git_syncs::Entity::find_by_id(space).one(db).await?;
    Ok(sync.and_then(|sync| Some((sync.tree_url?, tag(&sync.commit?, &sync.directory).to_vec()))))
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

/// The files in the repository, by the ids of the pages, files and reusable contents that were last imported from them or exported to
/// them.
pub type GitBlobs = HashMap<Uuid, GitSyncBlob>;

/// Loads the blobs of objects of a space. `None`: of all.
pub async fn blobs(db: &impl ConnectionTrait, space: NodeId, ids: Option<Vec<Uuid>>) -> Result<GitBlobs, DbErr> {
    let directory: Option<String> = git_syncs::Entity::find_by_id(space)
        .select_only()
        .column(git_syncs::Column::Directory)
        .into_tuple()
        .one(db)
        .await?;
    let mut found = git_entries::Entity::find().filter(git_entries::Column::SpaceId.eq(space));
    if let Some(ids) = ids {
        found = found.filter(git_entries::Column::ObjectId.is_in(ids));
    }
    let directory = directory.unwrap_or_default();
    let blob = |entry: git_entries::Model| {
        let blob = GitSyncBlob {
            oid: data_encoding::HEXLOWER.encode(&entry.oid),
            path: match directory.as_str() {
                "" => entry.path,
                directory => format!("{directory}/{}", entry.path),
            },
        };
        (entry.object_id, blob)
    };
    Ok(found.all(db).await?.into_iter().map(blob).collect())
}

/// The address at which a file is edited. GitHub and GitLab have it beside that of the tree; other hosts show the file.
pub fn edit_url(tree_url: &str, path: &str) -> Option<String> {
    let mut url = Url::parse(&tree_url.replacen("/tree/", "/edit/", 1)).ok()?;
    url.path_segments_mut().ok()?.pop_if_empty().extend(path.split('/'));
    Some(url.into())
}
