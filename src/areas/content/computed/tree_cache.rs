//! The computed pages that were read last.

use std::sync::Arc;

use moka::sync::Cache;
use platform::hash::Hash;

use super::ComputedTree;

/// Bytes that the computed pages may take.
const CACHE_BYTES: u64 = 32 * 1024 * 1024;

/// By the hash of all that they are computed from.
pub struct TreeCache(Cache<Hash, Arc<ComputedTree>>);

impl Default for TreeCache {
    fn default() -> Self {
        let weigh = |_: &Hash, tree: &Arc<ComputedTree>| u32::try_from(tree.bytes()).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build())
    }
}

impl TreeCache {
    /// The pages that are computed from what has this hash, which are made if they are not there.
    pub fn get_or_make(&self, digest: Hash, make: impl FnOnce() -> ComputedTree) -> Arc<ComputedTree> {
        if let Some(cached) = self.0.get(&digest) {
            return cached;
        }
        let tree = Arc::new(make());
        self.0.insert(digest, Arc::clone(&tree));
        tree
    }
}
