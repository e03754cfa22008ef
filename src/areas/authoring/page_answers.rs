//! A cache of answers with pages. An entity tag names the same bytes for everybody who may read the page, so the cache is shared by
//! all callers.

use bytes::Bytes;
use entity::ids::PageId;
use moka::sync::Cache;
use openapi::conditional::EntityTag;

/// Bytes of all answers.
const CACHE_BYTES: u64 = 16 * 1024 * 1024;

/// Longer answers are not kept, so that none of them takes the place of many others.
const MAX_BYTES: usize = 128 * 1024;

/// Bytes of an entry beside its texts.
const OVERHEAD: usize = 256;

/// Names an answer.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AnswerKey {
    pub tag: EntityTag,
    pub page: PageId,
    /// `true`: computed pages were read; `false`: their placeholders.
    pub is_computed: bool,
}

/// The JSON of answers that were made recently.
pub struct PageAnswers(Cache<AnswerKey, Bytes>);

impl PageAnswers {
    pub fn get(&self, key: &AnswerKey) -> Option<Bytes> {
        self.0.get(key)
    }

    pub fn insert(&self, key: AnswerKey, json: Bytes) {
        if json.len() <= MAX_BYTES {
            self.0.insert(key, json);
        }
    }
}

impl Default for PageAnswers {
    fn default() -> Self {
        let weigh =
            |_: &AnswerKey, json: &Bytes| u32::try_from(json.len().saturating_add(OVERHEAD)).unwrap_or(u32::MAX);
        Self(Cache::builder().weigher(weigh).max_capacity(CACHE_BYTES).build())
    }
}
