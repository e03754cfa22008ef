//! Caches of what is made of immutable contents: entries never expire.

use std::{hash::Hash, sync::Arc};

use moka::sync::Cache;

/// A value that is cached by its approximate bytes.
pub trait Cached: Send + Sync + 'static {
    /// Bytes that all cached values may take.
    const CACHE_BYTES: u64;

    /// In bytes.
    fn weight(&self) -> usize;
}

/// The values that were read last, by the key of what they are made of.
pub struct ByteCache<K, V>(Cache<K, Arc<V>>);

impl<K: Eq + Hash + Send + Sync + 'static, V: Cached> ByteCache<K, V> {
    pub fn get(&self, key: &K) -> Option<Arc<V>> {
        self.0.get(key)
    }

    pub fn insert(&self, key: K, value: Arc<V>) {
        self.0.insert(key, value);
    }
}

impl<K: Eq + Hash + Send + Sync + 'static, V: Cached> Default for ByteCache<K, V> {
    fn default() -> Self {
        let weigh = |_: &K, value: &Arc<V>| u32::try_from(value.weight()).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(weigh).max_capacity(V::CACHE_BYTES).build())
    }
}
