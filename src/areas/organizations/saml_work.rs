//! Parsing of SAML documents and making of keys, on threads that serve no requests: anybody may send a document, and a key takes
//! seconds.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use entity::ids::OrganizationId;
use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use openapi::{error::ApiError, shares::Shares};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Documents that are parsed and verified at once. Each has at most 288 KiB of XML and takes up to 10 MiB of memory.
const DOCUMENTS: usize = 2;

/// The same of one sender: a client address, or an organization.
const DOCUMENTS_PER_SENDER: usize = 1;

/// Keys that are made at once.
const KEYS: usize = 1;

/// Keys that an organization may have made per minute.
const KEYS_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);

/// The wait after which a request is answered with 503.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Seconds.
const RETRY_AFTER: u32 = 2;

/// The threads for SAML.
pub struct SamlWork {
    documents: Arc<Semaphore>,
    senders: Shares<u128>,
    keys: Arc<Semaphore>,
    key_rate: DefaultKeyedRateLimiter<OrganizationId>,
    max_wait: Duration,
}

impl SamlWork {
    pub fn new(max_wait: Duration) -> Self {
        Self {
            documents: Arc::new(Semaphore::new(DOCUMENTS)),
            senders: Shares::new(DOCUMENTS_PER_SENDER),
            keys: Arc::new(Semaphore::new(KEYS)),
            key_rate: RateLimiter::keyed(Quota::per_minute(KEYS_PER_MINUTE)),
            max_wait,
        }
    }

    /// Parses a document of a sender. Documents of one sender wait for each other, and take no place of others meanwhile.
    pub async fn parse<T: Send + 'static>(
        &self,
        sender: u128,
        parse: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let of_sender = self.acquire(self.senders.of(sender)).await?;
        let place = self.acquire(Arc::clone(&self.documents)).await?;
        run([of_sender, place], parse).await
    }

    /// Makes a key of an organization.
    pub async fn make_key<T: Send + 'static>(
        &self,
        organization: OrganizationId,
        make: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        self.key_rate.retain_recent();
        if let Err(refusal) = self.key_rate.check_key(&organization) {
            let wait = refusal.wait_time_from(DefaultClock::default().now());
            let message = format!("An organization may make {KEYS_PER_MINUTE} encryption keys per minute.");
            let seconds = u32::try_from(wait.as_secs()).unwrap_or(u32::MAX);
            return Err(ApiError::too_many_requests(message, seconds.saturating_add(1)));
        }
        let place = self.acquire(Arc::clone(&self.keys)).await?;
        run([place], make).await
    }

    async fn acquire(&self, permits: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, ApiError> {
        let permit = tokio::time::timeout(self.max_wait, permits.acquire_owned()).await;
        let busy = |_| {
            ApiError::overloaded(
                "Too many SAML documents and keys are waiting. Retry after the number of seconds in `Retry-After`.",
                RETRY_AFTER,
            )
        };
        Ok(permit.map_err(busy)??)
    }
}

impl Default for SamlWork {
    fn default() -> Self {
        Self::new(MAX_WAIT)
    }
}

/// The permits are held until the work ends, also if the request is gone by then.
async fn run<T: Send + 'static, const N: usize>(
    permits: [OwnedSemaphorePermit; N],
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    let work = move || {
        let result = work();
        drop(permits);
        result
    };
    Ok(tokio::task::spawn_blocking(work).await?)
}
