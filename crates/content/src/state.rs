//! What the process keeps of content between requests.

use std::sync::Arc;

use entity::ids::{NodeId, RevisionId};
use moka::sync::Cache;
use platform::db::Db;
use sea_orm::DbErr;
use tokio::sync::{Mutex, MutexGuard};

use crate::{
    link_set::LinkCache,
    objects::ObjectCache,
    revisions::{self, Revision},
};

/// Revisions are small: this is about 10 MB.
const REVISIONS: u64 = 20_000;
/// More than there are writers at once in one process.
const TURNS: usize = 256;

#[derive(Clone)]
pub struct ContentState(Arc<Parts>);

pub struct Parts {
    pub objects: ObjectCache,
    revisions: Cache<RevisionId, Arc<Revision>>,
    /// What all pages of a revision link to.
    pub links: LinkCache,
    turns: Vec<Mutex<()>>,
}

impl ContentState {
    pub fn new() -> Self {
        Self(Arc::new(Parts {
            objects: ObjectCache::new(),
            revisions: Cache::new(REVISIONS),
            links: LinkCache::new(),
            turns: (0..TURNS).map(|_| Mutex::new(())).collect(),
        }))
    }

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

    /// Waits until nobody else in this process writes content of the space. It saves work and decides nothing: whoever
    /// writes in another process at the same time is noticed when the new revision takes its place.
    pub async fn turn(&self, space: NodeId) -> Option<MutexGuard<'_, ()>> {
        let slot = space.as_uuid().as_u128() % TURNS as u128;
        let turn = self.0.turns.get(usize::try_from(slot).unwrap_or(0))?;
        Some(turn.lock().await)
    }
}

impl Default for ContentState {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for ContentState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
