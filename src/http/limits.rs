//! Rate limits for each token and each client address.

use std::{
    hash::{BuildHasher, Hash, RandomState},
    num::NonZeroU32,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use governor::{
    InsufficientCapacity, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    middleware::StateInformationMiddleware,
    state::keyed::DashMapStateStore,
};
use platform::config::RateLimit;
use poem::http::{HeaderMap, HeaderName, HeaderValue, header};

/// After this many requests, keys with a full quota are removed, so that a flood of made-up tokens or addresses takes a
/// bounded amount of memory.
pub const SWEEP_AFTER: usize = 65_536;

pub const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
pub const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
pub const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The shares of requests in the quota.
pub const REQUEST: NonZeroU32 = RateLimit::PARTS;
/// A renderer looks up tens of addresses for a page.
pub const LOOKUP: NonZeroU32 = NonZeroU32::MIN;

type Limiter<K> = RateLimiter<K, DashMapStateStore<K>, DefaultClock, StateInformationMiddleware>;

pub struct RateLimits {
    pub addresses: Limiter<u128>,
    /// By a hash with a key of this process, so that no sender can provoke a collision with another token.
    pub tokens: Limiter<u64>,
    hasher: RandomState,
    clock: DefaultClock,
    limit_header: HeaderValue,
    seen: AtomicUsize,
}

/// The quota of a sender after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub remaining: u32,
    /// The time until the full quota is available.
    reset: Duration,
    /// For refused requests: the time until the next one is allowed.
    wait: Option<Duration>,
}

impl Standing {
    pub fn refused(&self) -> bool {
        self.wait.is_some()
    }
}

impl RateLimits {
    pub fn new(limit: RateLimit) -> Option<Self> {
        let quota = limit.quota()?;
        Some(Self {
            addresses: limiter(quota),
            tokens: limiter(quota),
            hasher: RandomState::new(),
            clock: DefaultClock::default(),
            limit_header: limit.requests.get().into(),
            seen: AtomicUsize::new(0),
        })
    }

    /// Counts a request. Requests beyond the address's limit are not counted for the token.
    pub fn count(&self, address: u128, token: Option<&[u8]>, cost: NonZeroU32) -> Standing {
        self.sweep_now_and_then();
        let of_address = self.check(&self.addresses, &address, cost);
        match token {
            Some(token) if !of_address.refused() => {
                let of_token = self.check(&self.tokens, &self.hasher.hash_one(token), cost);
                let tighter = of_token.refused() || of_token.remaining < of_address.remaining;
                if tighter { of_token } else { of_address }
            }
            _ => of_address,
        }
    }

    fn check<K: Hash + Eq + Clone>(&self, limiter: &Limiter<K>, key: &K, cost: NonZeroU32) -> Standing {
        match limiter.check_key_n(key, cost) {
            Ok(Ok(state)) => {
                let (remaining, quota) = (state.remaining_burst_capacity(), state.quota());
                let used = quota.burst_size().get().saturating_sub(remaining);
                let reset = quota.replenish_interval().saturating_mul(used);
                Standing {
                    remaining: remaining / RateLimit::PARTS,
                    reset,
                    wait: None,
                }
            }
            Ok(Err(refusal)) => Standing {
                remaining: 0,
                reset: refusal.quota().burst_size_replenished_in(),
                wait: Some(refusal.wait_time_from(self.clock.now())),
            },
            // A full quota is of whole requests, of which there is one at least.
            Err(InsufficientCapacity(_)) => Standing {
                remaining: 0,
                reset: Duration::ZERO,
                wait: None,
            },
        }
    }

    fn sweep_now_and_then(&self) {
        if self.seen.fetch_add(1, Ordering::Relaxed) % SWEEP_AFTER == SWEEP_AFTER - 1 {
            self.addresses.retain_recent();
            self.tokens.retain_recent();
            self.addresses.shrink_to_fit();
            self.tokens.shrink_to_fit();
        }
    }

    pub fn announce(&self, standing: Standing, headers: &mut HeaderMap) {
        headers.insert(LIMIT, self.limit_header.clone());
        headers.insert(REMAINING, standing.remaining.into());
        headers.insert(RESET, seconds(standing.reset).into());
        if let Some(wait) = standing.wait {
            headers.insert(header::RETRY_AFTER, seconds(wait).max(1).into());
        }
    }
}

fn limiter<K: Hash + Eq + Clone>(quota: Quota) -> Limiter<K> {
    RateLimiter::dashmap(quota).with_middleware()
}

/// Rounds up, so that a client that waits this long is not refused again.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
