//! Permits of which each of many has the same number.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Semaphore;

/// The permits of those who have requests at present.
pub struct Shares<K> {
    permits: usize,
    of: Mutex<HashMap<K, Arc<Semaphore>>>,
}

impl<K: Eq + Hash> Shares<K> {
    pub fn new(permits: usize) -> Self {
        Self {
            permits,
            of: Mutex::default(),
        }
    }

    /// The number of those who are remembered.
    pub fn count(&self) -> usize {
        self.shares().len()
    }

    pub fn of(&self, id: K) -> Arc<Semaphore> {
        let mut of = self.shares();
        // Only the map has those that nobody uses.
        of.retain(|_, permits| Arc::strong_count(permits) > 1);
        let new = || Arc::new(Semaphore::new(self.permits));
        Arc::clone(of.entry(id).or_insert_with(new))
    }

    fn shares(&self) -> MutexGuard<'_, HashMap<K, Arc<Semaphore>>> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
