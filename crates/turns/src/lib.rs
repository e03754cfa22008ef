//! A semaphore whose permits go round among the keys of those that wait: organizations, owners of scripts.
//!
//! Work that waits in the order of its arrival waits for all the work of the one that sent most. Here, a free place goes to the key that
//! has the fewest places, among those with equally many to the one that was served longest ago. A key never has more than its share.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// Places, of which each key may take some. Clones share them.
pub struct Turns<K: Eq + Hash + Clone>(Arc<Shared<K>>);

struct Shared<K: Eq + Hash + Clone> {
    /// The most places of one key.
    share: usize,
    table: Mutex<Table<K>>,
}

struct Table<K: Eq + Hash + Clone> {
    free: usize,
    /// Counts the turns that were given.
    served: u64,
    /// Keys with places, and those that wait.
    keys: HashMap<K, Key>,
    /// In the order of arrival.
    waiting: Vec<Waiting<K>>,
}

#[derive(Default)]
struct Key {
    held: usize,
    /// The number of its last turn; 0: none yet.
    last: u64,
}

struct Waiting<K: Eq + Hash + Clone> {
    key: K,
    give: oneshot::Sender<Turn<K>>,
}

/// A place, until it is dropped.
pub struct Turn<K: Eq + Hash + Clone> {
    key: K,
    turns: Turns<K>,
}

impl<K: Eq + Hash + Clone> Turns<K> {
    /// Creates as many places, of which one key has at most `share` at once.
    pub fn new(places: usize, share: usize) -> Self {
        Self(Arc::new(Shared {
            share,
            table: Mutex::new(Table {
                free: places,
                served: 0,
                keys: HashMap::new(),
                waiting: Vec::new(),
            }),
        }))
    }

    /// Waits for a place. Dropping the future leaves the queue.
    pub async fn take(&self, key: K) -> Turn<K> {
        // A sender stays in the table until it is used, so the second round never comes.
        loop {
            let (give, given) = oneshot::channel();
            let key = key.clone();
            self.table().waiting.push(Waiting { key, give });
            self.serve();
            if let Ok(turn) = given.await {
                return turn;
            }
        }
    }

    /// The number of keys that have a place or wait for one.
    pub fn keys(&self) -> usize {
        self.table().keys.len()
    }

    /// Gives free places to those that wait.
    fn serve(&self) {
        while let Some(next) = self.next() {
            // If the receiver has gone, the turn comes back and is dropped, which frees the place.
            drop(next.give.send(Turn {
                key: next.key,
                turns: self.clone(),
            }));
        }
    }

    /// Takes a place for the one that is next.
    fn next(&self) -> Option<Waiting<K>> {
        let mut table = self.table();
        let Table {
            free,
            served,
            keys,
            waiting,
        } = &mut *table;
        waiting.retain(|waiting| !waiting.give.is_closed());
        keys.retain(|key, state| state.held > 0 || waiting.iter().any(|waiting| waiting.key == *key));
        if *free == 0 {
            return None;
        }
        let rank = |waiting: &Waiting<K>| {
            let (held, last) = keys.get(&waiting.key).map_or((0, 0), |key| (key.held, key.last));
            (held < self.0.share).then_some((held, last))
        };
        let ranked = waiting.iter().enumerate();
        let (_, index) = ranked
            .filter_map(|(index, waiting)| Some((rank(waiting)?, index)))
            .min()?;
        let next = waiting.remove(index);
        *free -= 1;
        *served += 1;
        let key = keys.entry(next.key.clone()).or_default();
        key.held += 1;
        key.last = *served;
        Some(next)
    }

    fn table(&self) -> MutexGuard<'_, Table<K>> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone> Clone for Turns<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Eq + Hash + Clone> Drop for Turn<K> {
    fn drop(&mut self) {
        {
            let mut table = self.turns.table();
            table.free += 1;
            if let Some(key) = table.keys.get_mut(&self.key) {
                key.held = key.held.saturating_sub(1);
            }
        }
        self.turns.serve();
    }
}
