//! Tells requests that are repeated within a moment from those that are not, in a fixed memory.

use std::{
    hash::Hash,
    sync::atomic::{AtomicU64, Ordering},
};

use ahash::RandomState;
use entity::timestamp::Timestamp;

/// The number of slots, a power of two: more requests than these within a moment forget each other.
const SLOTS: u64 = 1 << 14;

/// The bits of a slot that hold the time. The others hold a part of the hash: two requests that share it are taken for
/// one, so that an answer is kept too early, which does no harm.
const TIME_BITS: u64 = 0xffff;

/// The last request of each slot, and its second.
pub struct Repetitions {
    hasher: RandomState,
    slots: Box<[AtomicU64]>,
}

impl Default for Repetitions {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl Repetitions {
    /// Notes a request. Returns whether the same was noted in this second or the one before.
    pub fn note(&self, request: &impl Hash, now: Timestamp) -> bool {
        let hash = self.hasher.hash_one(request);
        let second = now.to_utc().timestamp().unsigned_abs() & TIME_BITS;
        // Always found: the remainder is below the number of slots.
        let place = usize::try_from(hash % SLOTS).unwrap_or_default();
        let Some(slot) = self.slots.get(place) else {
            return false;
        };
        let noted = slot.swap(hash & !TIME_BITS | second, Ordering::Relaxed);
        let passed = second.wrapping_sub(noted & TIME_BITS) & TIME_BITS;
        noted & !TIME_BITS == hash & !TIME_BITS && passed <= 1
    }
}
