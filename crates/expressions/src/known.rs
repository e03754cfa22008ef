//! A cache of the conditions that hold.

use std::{collections::BTreeSet, sync::Arc};

use moka::sync::Cache;

use crate::engine::EngineData;

/// Memory of the answers.
const CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// Approximate memory of an answer beside its texts.
const OVERHEAD: usize = 256;

/// Conditions that hold.
pub type Holding = Arc<BTreeSet<String>>;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Question {
    pub data: Arc<EngineData>,
    pub conditions: Vec<String>,
}

impl Question {
    fn bytes(&self) -> u32 {
        let conditions: usize = self.conditions.iter().map(String::len).sum();
        // A condition that holds stands in the answer again.
        let bytes = conditions.saturating_mul(2).saturating_add(self.data.bytes());
        u32::try_from(bytes.saturating_add(OVERHEAD)).unwrap_or(u32::MAX)
    }
}

/// Answers that were given before.
pub struct Known(pub Cache<Question, Holding>);

impl Default for Known {
    fn default() -> Self {
        let cache = Cache::builder().weigher(|question: &Question, _: &Holding| question.bytes());
        Self(cache.max_capacity(CACHE_BYTES).build())
    }
}
