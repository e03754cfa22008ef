//! In-memory state of content between requests: caches and write locks.

use std::sync::Arc;

use entity::ids::{NodeId, RevisionId};
use moka::sync::Cache;
use platform::db::Db;
use sea_orm::DbErr;
use tokio::sync::{Mutex, MutexGuard};

use crate::{
    content_references::ContentReferencesCache,
    link_set::{AnchorCache, LinkCache},
    objects::ObjectCache,
    revisions::{self, Revision},
    shown_parts::ShownPartsCache,
};

/// Revisions are small: this is about 10 MB.
const CACHED_REVISIONS: u64 = 20_000;
/// More than the concurrent writers of one process.
const WRITE_LOCKS: usize = 256;

pub struct ContentState {
    pub objects: ObjectCache,
    revisions: Cache<RevisionId, Arc<Revision>>,
    /// The links of all pages of a revision.
    pub links: LinkCache,
    pub anchors: AnchorCache,
    pub content_references: ContentReferencesCache,
    /// The indexes of parts that pages show to visitors of sites.
    pub shown_parts: ShownPartsCache,
    turns: Vec<Mutex<()>>,
}

impl Default for ContentState {
    fn default() -> Self {
        Self {
            objects: ObjectCache::default(),
            revisions: Cache::new(CACHED_REVISIONS),
            links: LinkCache::default(),
            anchors: AnchorCache::default(),
            content_references: ContentReferencesCache::default(),
            shown_parts: ShownPartsCache::default(),
            turns: (0..WRITE_LOCKS).map(|_| Mutex::new(())).collect(),
        }
    }
}

impl ContentState {
    /// A revision of a space, from the cache or the database.
    pub async fn revision(&self, db: &Db, space: NodeId, id: RevisionId) -> Result<Option<Arc<Revision>>, DbErr> {
        let cached = self.revisions.get(&id).filter(|revision| revision.space == space);
        if cached.is_some() {
            return Ok(cached);
        }
        let found = revisions::find(db.read(), space, id).await?.map(Arc::new);
        if let Some(revision) = &found {
            self.revisions.insert(id, Arc::clone(revision));
        }
        Ok(found)
    }

    /// Revisions of any spaces; the caller has checked that they may be read.
    pub async fn revisions(&self, db: &Db, ids: Vec<RevisionId>) -> Result<Vec<Arc<Revision>>, DbErr> {
        let (mut found, mut missing) = (Vec::with_capacity(ids.len()), Vec::new());
        for id in ids {
            match self.revisions.get(&id) {
                Some(revision) => found.push(revision),
                None => missing.push(id),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        for revision in revisions::find_many(db.read(), missing).await? {
            let revision = Arc::new(revision);
            self.revisions.insert(revision.id, Arc::clone(&revision));
            found.push(revision);
        }
        Ok(found)
    }

    /// Waits until no other writer of this process writes content of the space. The lock only saves repeated work: writers in
    /// other processes are detected when the new head is stored.
    pub async fn turn(&self, space: NodeId) -> Option<MutexGuard<'_, ()>> {
        let slot = space.as_uuid().as_u128() % WRITE_LOCKS as u128;
        let turn = self.turns.get(usize::try_from(slot).unwrap_or(0))?;
        Some(turn.lock().await)
    }
}
