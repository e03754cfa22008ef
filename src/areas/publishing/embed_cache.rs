//! Embeds in memory: what other web pages said about themselves.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use embeds::Embed;
use moka::{Expiry, future::Cache};

/// Approximate memory of all embeds.
const CACHE_BYTES: u64 = 8 * 1024 * 1024;

/// How long what a page said is used.
const KEPT: Duration = Duration::from_secs(60 * 60);

/// How long a page that could not be read is left alone.
const KEPT_UNREAD: Duration = Duration::from_secs(60);

/// An embed, or the address alone if the page could not be read.
#[derive(Clone)]
pub struct CachedEmbed {
    pub embed: Arc<Embed>,
    pub was_read: bool,
}

/// The embeds by the addresses of their pages.
pub struct EmbedCache(Cache<String, CachedEmbed>);

impl EmbedCache {
    /// The embed of an address. Requests for the same one wait for the first of them.
    pub async fn get<E: Clone + Send + Sync + 'static>(
        &self,
        address: &str,
        read: impl Future<Output = Result<CachedEmbed, E>>,
    ) -> Result<Arc<Embed>, E> {
        let found = self.0.try_get_with_by_ref(address, read).await;
        found.map(|cached| cached.embed).map_err(|error| (*error).clone())
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
        Self(cache.build())
    }
}

struct KeptByResult;

impl Expiry<String, CachedEmbed> for KeptByResult {
    fn expire_after_create(&self, _: &String, cached: &CachedEmbed, _: Instant) -> Option<Duration> {
        Some(if cached.was_read { KEPT } else { KEPT_UNREAD })
    }
}
