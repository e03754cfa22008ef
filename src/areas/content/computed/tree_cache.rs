//! The computed pages that were read last.

use std::sync::{Arc, Weak};

use entity::ids::RevisionId;
use moka::sync::Cache;
use platform::{db::DbState, hash::Hash};

use super::ComputedTree;

/// Memory that the computed pages may take.
const CACHE_BYTES: u64 = 32 * 1024 * 1024;

/// The most revisions whose computed pages are found without a query.
const MAX_REVISIONS: u64 = 10_000;

pub struct TreeCache {
    /// By the hash of all that they are computed from.
    trees: Cache<Hash, Arc<ComputedTree>>,
    /// By the revision, with the state of the database in which they were computed: what they are computed from may change with
    /// each commit.
    of_revisions: Cache<RevisionId, (DbState, Weak<ComputedTree>)>,
}

impl Default for TreeCache {
    fn default() -> Self {
        let weigh = |_: &Hash, tree: &Arc<ComputedTree>| u32::try_from(tree.bytes()).unwrap_or(u32::MAX);
        Self {
            trees: Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build(),
            of_revisions: Cache::new(MAX_REVISIONS),
        }
    }
}

impl TreeCache {
    /// The pages that are computed from what has this hash, which are made if they are not there.
    pub fn get_or_make(&self, digest: Hash, make: impl FnOnce() -> ComputedTree) -> Arc<ComputedTree> {
        if let Some(cached) = self.trees.get(&digest) {
            return cached;
        }
        let tree = Arc::new(make());
        self.trees.insert(digest, Arc::clone(&tree));
        tree
    }

    /// The pages of a revision, if they were computed in this state of the database.
    pub fn of_revision(&self, revision: RevisionId, state: DbState) -> Option<Arc<ComputedTree>> {
        let (computed_in, tree) = self.of_revisions.get(&revision)?;
        tree.upgrade().filter(|_| computed_in == state)
    }

    /// `state` is the one before anything was read.
    pub fn keep(&self, revision: RevisionId, state: DbState, tree: &Arc<ComputedTree>) {
        self.of_revisions.insert(revision, (state, Arc::downgrade(tree)));
    }
}
