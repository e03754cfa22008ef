//! The order in which many entries change.

use std::hash::{BuildHasher, Hash, RandomState};

/// Returns entries of the index in a random order, in which they are to be replaced or removed. FTS5 notes rows that are gone in hash
/// tables where neighbours have neighbouring places: while half of a long run of rows is gone, it walks along the run to learn
/// that another row is there, and merges of the index take seconds.
pub fn scattered<T: Hash>(mut entries: Vec<T>) -> Vec<T> {
    let order = RandomState::new();
    entries.sort_by_cached_key(|entry| order.hash_one(entry));
    entries
}
