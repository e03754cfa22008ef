//! The cache of objects.

use std::sync::Arc;

use moka::sync::Cache;

use super::{Hash, Object, node::Node};

/// The most bytes of all cached objects.
const CACHE_BYTES: u64 = 48 * 1024 * 1024;

/// Recently read objects by their hash. Objects never change, so entries never expire.
#[derive(Clone)]
pub struct ObjectCache {
    objects: Cache<Hash, Arc<Object>>,
}

impl Default for ObjectCache {
    fn default() -> Self {
        let weigh = |_: &Hash, object: &Arc<Object>| u32::try_from(weight(object)).unwrap_or(u32::MAX);
        Self {
            objects: Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build(),
        }
    }
}

impl ObjectCache {
    pub(super) fn get(&self, hash: &Hash) -> Option<Arc<Object>> {
        self.objects.get(hash)
    }

    pub(super) fn insert(&self, hash: Hash, object: Arc<Object>) {
        self.objects.insert(hash, object);
    }
}

/// Returns the approximate bytes of an object in memory.
pub(super) fn weight(object: &Object) -> usize {
    const OVERHEAD: usize = 64;
    match object {
        Object::Text(text) => text.len() + OVERHEAD,
        Object::Node(Node::Leaf(entries)) => {
            let entries = entries
                .iter()
                .map(|entry| entry.key.len() + entry.value.len() + OVERHEAD);
            entries.sum::<usize>() + OVERHEAD
        }
        Object::Node(branch @ Node::Branch(_)) => branch.children().count() * OVERHEAD + OVERHEAD,
    }
}
