//! A cache of the conditions that hold.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use moka::{Expiry, sync::Cache};

use crate::engine::EngineData;

/// Bytes of the answers.
const CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// Time for which a condition that reached a limit is not evaluated again: it would hold a thread for as long once more. Not longer,
/// because a busy machine may be the reason for a limit of time.
pub const LIMIT_KEPT: Duration = Duration::from_secs(60);

/// Approximate bytes of an answer beside its texts.
const OVERHEAD: usize = 256;

/// Conditions that hold.
pub type Holding = Arc<BTreeSet<String>>;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Query {
    pub data: Arc<EngineData>,
    pub conditions: Vec<String>,
}

impl Query {
    fn bytes(&self) -> u32 {
        let conditions: usize = self.conditions.iter().map(String::len).sum();
        // A condition that holds stands in the answer again.
        let bytes = conditions.saturating_mul(2).saturating_add(self.data.bytes());
        u32::try_from(bytes.saturating_add(OVERHEAD)).unwrap_or(u32::MAX)
    }
}

#[derive(Clone)]
pub struct Answer {
    pub holding: Holding,
    /// `true`: a condition reached a limit.
    pub is_limited: bool,
}

/// Answers that were given before.
pub struct Known(pub Cache<Query, Answer>);

impl Default for Known {
    fn default() -> Self {
        let cache = Cache::builder().weigher(|query: &Query, _: &Answer| query.bytes());
        let cache = cache.max_capacity(CACHE_BYTES).expire_after(KeptByAnswer);
        Self(cache.build())
    }
}

pub struct KeptByAnswer;

impl Expiry<Query, Answer> for KeptByAnswer {
    fn expire_after_create(&self, _: &Query, answer: &Answer, _: Instant) -> Option<Duration> {
        answer.is_limited.then_some(LIMIT_KEPT)
    }
}
