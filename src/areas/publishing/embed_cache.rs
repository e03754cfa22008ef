//! Embeds in memory: what other web pages said about themselves.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use embeds::Embed;
use moka::{Expiry, future::Cache};
use platform::outbound::OnBehalf;

/// Approximate bytes of all embeds.
const CACHE_BYTES: u64 = 8 * 1024 * 1024;

/// How long what a page said is used.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// Time for which the result of a read is kept for the requests that wait for it.
const KEPT_FOR_WAITING: Duration = Duration::from_secs(1);

/// Reads whose results are kept for so long.
const MAX_READS: u64 = 1000;

/// How long a page that could not be read is left alone.
const KEPT_UNREAD: Duration = Duration::from_secs(60);

/// An embed, or the address alone if the page could not be read.
#[derive(Clone)]
pub struct CachedEmbed {
    pub embed: Arc<Embed>,
    pub was_read: bool,
}

/// The embeds by the addresses of their pages.
pub struct EmbedCache {
    known: Cache<String, CachedEmbed>,
    /// By those for whom pages are read, because each waits in a queue of their own.
    reads: Cache<(OnBehalf, String), CachedEmbed>,
}

impl EmbedCache {
    /// The embed of an address, if its page was read before.
    pub async fn known(&self, address: &str) -> Option<Arc<Embed>> {
        let known = self.known.get(address).await?;
        Some(known.embed).filter(|_| known.was_read)
    }

    /// The embed of an address. Requests on behalf of the same user for the same one wait for the first of them.
    pub async fn get<E: Clone + Send + Sync + 'static>(
        &self,
        on_behalf: OnBehalf,
        address: &str,
        read: impl Future<Output = Result<CachedEmbed, E>>,
    ) -> Result<Arc<Embed>, E> {
        if let Some(known) = self.known.get(address).await {
            return Ok(known.embed);
        }
        let read = async {
            let cached = read.await?;
            self.known.insert(address.to_owned(), cached.clone()).await;
            Ok(cached)
        };
        let found = self.reads.try_get_with((on_behalf, address.to_owned()), read).await;
        found
            .map(|cached| cached.embed)
            .map_err(|error: Arc<E>| (*error).clone())
    }
}

impl Default for EmbedCache {
    fn default() -> Self {
        let cache = Cache::builder()
            .max_capacity(CACHE_BYTES)
            .weigher(|address: &String, cached: &CachedEmbed| {
                let bytes = address.len().saturating_add(cached.embed.bytes());
                u32::try_from(bytes).unwrap_or(u32::MAX)
            })
            .expire_after(KeptByResult);
        let reads = Cache::builder().max_capacity(MAX_READS).time_to_live(KEPT_FOR_WAITING);
        Self {
            known: cache.build(),
            reads: reads.build(),
        }
    }
}

struct KeptByResult;

impl Expiry<String, CachedEmbed> for KeptByResult {
    fn expire_after_create(&self, _: &String, cached: &CachedEmbed, _: Instant) -> Option<Duration> {
        Some(if cached.was_read { KEPT } else { KEPT_UNREAD })
    }
}
