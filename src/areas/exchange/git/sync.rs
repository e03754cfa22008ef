//! An operation that runs, and what it knows.

use std::sync::Arc;

use content::{objects::Content, revisions::Revision};
use entity::{
    exchange::{git_entries, git_syncs},
    ids::{NodeId, RevisionId},
    library::nodes,
    timestamp::Timestamp,
};
use git::{Cache, Oid, RefName, Remote};
use platform::db::Reads;

use super::{
    SyncError,
    pair::{self, Pair},
    request::Request,
    store,
};
use crate::{
    areas::exchange::{Exchange, import::ImportTarget},
    kernel::wire::ToStored,
};

/// An operation that runs.
pub struct Sync<'a> {
    pub exchange: &'a Exchange,
    pub row: git_syncs::Model,
    pub request: Request,
    /// The space, and who asked for the operation.
    pub target: ImportTarget,
    pub node: nodes::Model,
    pub cache: Cache,
    pub remote: Remote,
    pub reference: RefName,
}

impl<'a> Sync<'a> {
    pub fn space(&self) -> NodeId {
        self.node.id
    }

    /// Reads the content of the space.
    pub fn content(&self) -> Content<'a, Reads> {
        self.exchange.content(self.space())
    }

    /// The present content of the space.
    pub async fn head(&self) -> Result<Arc<Revision>, SyncError> {
        Ok(self.exchange.head(self.space()).await?)
    }

    /// The commit and the revision that have the same content, if the branch was synchronized before.
    pub fn pair(&self) -> Option<(Oid, RevisionId)> {
        pair::stored(&self.row, &self.request, self.remote.address.as_str())
    }

    /// The pair that this operation leads to.
    pub fn new_pair(&self, commit: Oid, revision: RevisionId) -> Pair {
        Pair {
            address: self.remote.address.as_str().to_owned(),
            reference: self.request.reference.clone(),
            directory: self.request.directory.clone(),
            known_hosts: self.remote.known_hosts.clone(),
            provider: self.request.provider.map(ToStored::to_stored),
            tree_url: self.request.tree_url.clone(),
            commit,
            revision,
            change_request: None,
            timestamp: self.request.timestamp,
            entries: None,
            commits: Vec::new(),
        }
    }

    /// Stores a pair before the operation goes on.
    pub async fn save(&mut self, pair: Pair) -> Result<(), SyncError> {
        store::save(self.exchange, self.space(), pair).await?;
        let stored = store::find(self.exchange.kernel.db.read(), self.space()).await?;
        if let Some(stored) = stored {
            self.row = stored;
        }
        Ok(())
    }

    pub async fn entries(&self) -> Result<Vec<git_entries::Model>, SyncError> {
        Ok(store::entries(self.exchange.kernel.db.read(), self.space()).await?)
    }

    pub fn commit_url(&self, commit: Oid) -> Option<String> {
        let prefix = self.request.commit_url.as_deref()?;
        Some(format!("{}/{commit}", prefix.trim_end_matches('/')))
    }

    pub fn now(&self) -> Timestamp {
        self.exchange.kernel.clock.now()
    }

    /// Refuses while the changes of both sides wait for a decision.
    pub async fn require_no_conflict(&mut self) -> Result<(), SyncError> {
        let Some(id) = self.row.change_request_id else {
            return Ok(());
        };
        if let Some(number) = store::open_change_request(self.exchange.kernel.db.read(), id).await? {
            let message = format!(
                "Change request {number} has the changes of the branch that cannot be merged. Merge or archive it first."
            );
            return Err(SyncError::Refused(message));
        }
        self.row.change_request_id = None;
        Ok(())
    }
}
