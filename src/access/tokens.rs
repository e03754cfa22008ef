//! Tokens: secrets, hashes and the cache of callers.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, Mutex},
    time::Duration,
};

use ahash::RandomState;
use data_encoding::BASE64URL_NOPAD;
use entity::{
    ids::{SamlProviderId, TokenId, UserId},
    timestamp::Timestamp,
};
use moka::future::Cache;
use platform::secrets::signature;
use poem::{Request, http::header};
use sha2::{Digest, Sha256};

use super::identity::Identity;

/// The prefix of every token, by which people and secret scanners recognise it.
pub const PREFIX: &str = "bnd_";

/// The lifetime of a cached token. A revocation in this process takes effect at once; one in another process, such as the
/// command line, after this time.
const CACHE_TTL: Duration = Duration::from_secs(1);

const MAX_CACHED: u64 = 10_000;

/// Longer values are no tokens and are not hashed.
pub(super) const MAX_LENGTH: usize = 6 * 1024;

pub type TokenHash = [u8; 32];

/// The SHA-256 of a token: all that is stored and compared.
pub fn hash(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

/// A new secret: 256 random bits behind the prefix.
pub fn generate() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{PREFIX}{}", BASE64URL_NOPAD.encode(&bytes)))
}

/// The secret that a key makes of a text, in the form of a token.
pub fn derive(key: [u8; 32], text: &str) -> String {
    format!("{PREFIX}{}", BASE64URL_NOPAD.encode(&signature(key, text)))
}

/// The user of a token, and when the token expires.
#[derive(Clone)]
pub(super) struct CachedToken {
    pub(super) identity: Arc<Identity>,
    pub(super) expires_at: Option<Timestamp>,
}

impl CachedToken {
    pub(super) fn is_valid(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| end > now)
    }
}

/// Tokens that were looked up a moment ago, and when each was last used.
pub struct TokenCache {
    pub(super) known: Cache<TokenHash, CachedToken, RandomState>,
    used: Mutex<HashMap<TokenId, Timestamp>>,
}

impl TokenCache {
    pub fn new() -> Self {
        let known = Cache::builder()
            .max_capacity(MAX_CACHED)
            .time_to_live(CACHE_TTL)
            .support_invalidation_closures()
            .build_with_hasher(RandomState::new());
        Self {
            known,
            used: Mutex::default(),
        }
    }

    pub async fn forget(&self, hash: &TokenHash) {
        self.known.invalidate(hash).await;
    }

    pub fn forget_user(&self, user: UserId) {
        self.forget_if(move |identity| identity.user_id == user);
    }

    /// Drops the tokens that were made after signing in at a provider.
    pub fn forget_provider(&self, provider: SamlProviderId) {
        self.forget_if(move |identity| identity.saml_provider == Some(provider));
    }

    fn forget_if(&self, condition: impl Fn(&Identity) -> bool + Send + Sync + 'static) {
        // Refused only by caches that were built without support for it.
        let invalidated = self
            .known
            .invalidate_entries_if(move |_, known| condition(&known.identity));
        debug_assert!(invalidated.is_ok());
    }

    pub(super) fn note_use(&self, token: TokenId, now: Timestamp) {
        let mut used = self.used.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        used.insert(token, now);
    }

    /// The uses noted since the last call.
    pub fn take_uses(&self) -> Vec<(TokenId, Timestamp)> {
        let mut used = self.used.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        mem::take(&mut *used).into_iter().collect()
    }
}

impl Default for TokenCache {
    fn default() -> Self {
        Self::new()
    }
}

/// The token of a request: the credentials of the scheme `Bearer`.
pub fn bearer(request: &Request) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    let plausible = !token.is_empty() && token.len() <= MAX_LENGTH;
    (scheme.eq_ignore_ascii_case("bearer") && plausible).then_some(token)
}
