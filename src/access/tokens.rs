//! Tokens: secrets, hashes and the cache of callers.

use std::{
    collections::HashMap,
    mem,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use ahash::RandomState;
use chrono::TimeDelta;
use data_encoding::BASE64URL_NOPAD;
use entity::{ids::TokenId, timestamp::Timestamp};
use moka::sync::Cache;
use platform::secrets::signature;
use poem::{Request, http::header};
use sha2::{Digest, Sha256};

use super::identity::Identity;

/// The prefix of every token, by which people and secret scanners recognise it.
pub const PREFIX: &str = "bnd_";

/// The lifetime of a cached token. A revocation in this process takes effect at once; one in another process, such as the
/// command line, after this time.
const CACHE_TTL: TimeDelta = TimeDelta::seconds(1);

const MAX_CACHED: u64 = 10_000;

/// Longer values are no tokens and are not hashed.
pub const MAX_LENGTH: usize = 6 * 1024;

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
pub struct KnownToken {
    pub identity: Arc<Identity>,
    pub expires_at: Option<Timestamp>,
}

impl KnownToken {
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| end > now)
    }
}

/// The moment before a token was looked up.
#[derive(Clone, Copy)]
pub struct LookUp {
    at: Timestamp,
    /// The number of changes that made all tokens unknown.
    forgotten: u64,
}

/// Tokens that were looked up a moment ago, and when each was last used.
pub struct TokenCache {
    known: Cache<TokenHash, (LookUp, KnownToken), RandomState>,
    /// Changes of tokens and of their users make all of them unknown: there are few such changes, and no request that began before
    /// one can bring back what it has found.
    forgotten: AtomicU64,
    used: Mutex<HashMap<TokenId, Timestamp>>,
}

impl TokenCache {
    pub fn begin(&self, now: Timestamp) -> LookUp {
        LookUp {
            at: now,
            forgotten: self.forgotten.load(Ordering::Acquire),
        }
    }

    pub fn get(&self, hash: &TokenHash, now: Timestamp) -> Option<KnownToken> {
        let forgotten = self.forgotten.load(Ordering::Acquire);
        let (before, known) = self.known.get(hash)?;
        (before.forgotten == forgotten && before.at.is_recent(now, CACHE_TTL)).then_some(known)
    }

    pub fn insert(&self, hash: TokenHash, before: LookUp, known: KnownToken) {
        self.known.insert(hash, (before, known));
    }

    pub fn forget(&self) {
        self.forgotten.fetch_add(1, Ordering::Release);
    }

    pub fn note_use(&self, token: TokenId, now: Timestamp) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(token, now);
    }

    /// The uses noted since the last call.
    pub fn take_uses(&self) -> Vec<(TokenId, Timestamp)> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        mem::take(&mut *used).into_iter().collect()
    }
}

impl Default for TokenCache {
    fn default() -> Self {
        let known = Cache::builder().max_capacity(MAX_CACHED);
        Self {
            known: known.build_with_hasher(RandomState::new()),
            forgotten: AtomicU64::new(0),
            used: Mutex::default(),
        }
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
