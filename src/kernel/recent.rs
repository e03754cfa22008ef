//! Values that were read a moment ago.

use std::hash::Hash;

use chrono::TimeDelta;
use entity::timestamp::Timestamp;
use moka::sync::Cache;
use platform::db::Db;

/// The time for which a value is kept without another look. What this process writes counts at once; a write of another
/// process, such as another node, after this time. What is made from such a value may be kept as long again.
const CACHE_TTL: TimeDelta = TimeDelta::milliseconds(500);

/// The moment before something was read.
#[derive(Clone, Copy)]
pub struct ReadAt {
    at: Timestamp,
    /// The number of writes of this process.
    writes: u64,
}

impl ReadAt {
    pub fn begin(db: &Db, now: Timestamp) -> Self {
        Self {
            at: now,
            writes: db.writes(),
        }
    }

    /// Returns whether a value that was read then is kept until now.
    fn is_kept(self, now: Self) -> bool {
        self.writes == now.writes && self.at.is_recent(now.at, CACHE_TTL)
    }
}

/// A cache of values of which each is read again after a moment.
pub struct Recent<K, V>(Cache<K, (ReadAt, V)>);

impl<K: Eq + Hash + Send + Sync + 'static, V: Clone + Send + Sync + 'static> Recent<K, V> {
    /// Keeps this many values at most.
    pub fn with_entries(max: u64) -> Self {
        Self(Cache::new(max))
    }

    /// Keeps values of this many bytes at most.
    pub fn with_bytes(max: u64, weigh: impl Fn(&K, &V) -> usize + Send + Sync + 'static) -> Self {
        let weigh = move |key: &K, (_, value): &(ReadAt, V)| u32::try_from(weigh(key, value)).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(weigh).max_capacity(max).build())
    }

    /// The value of a key. `load` is called unless the value was read a moment ago.
    pub async fn get<E>(&self, key: K, now: ReadAt, load: impl Future<Output = Result<V, E>>) -> Result<V, E> {
        if let Some((_, value)) = self.0.get(&key).filter(|(before, _)| before.is_kept(now)) {
            return Ok(value);
        }
        let value = load.await?;
        self.0.insert(key, (now, value.clone()));
        Ok(value)
    }
}
