//! What the process keeps of content between requests.

use std::sync::Arc;

use entity::ids::{NodeId, RevisionId};
use moka::sync::Cache;
use tokio::sync::{Mutex, MutexGuard};

use super::{link_set::LinkCache, objects::ObjectCache};
use crate::revisions::Revision;

/// Revisions are small: this is about 10 MB.
const REVISIONS: u64 = 20_000;
/// More than there are writers at once in one process.
const TURNS: usize = 256;

#[derive(Clone)]
pub struct ContentState(Arc<Parts>);

pub struct Parts {
    pub objects: ObjectCache,
    pub revisions: Cache<RevisionId, Arc<Revision>>,
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
