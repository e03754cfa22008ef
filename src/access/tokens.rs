//! From the `Authorization` header to a caller.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, Mutex},
    time::Duration,
};

use data_encoding::BASE64URL_NOPAD;
use entity::{
    ids::{TokenId, UserId},
    timestamp::Timestamp,
    tokens, users,
};
use moka::future::Cache;
use openapi::{call::Call, error::ApiError};
use platform::errors::database;
use poem::{Request, http::header};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, sea_query::Expr};
use sha2::{Digest, Sha256};

use super::{AccessGuard, Caller, caller::Identity};

/// What every token begins with, so that people and secret scanners recognise it.
pub const PREFIX: &str = "bnd_";

/// How long a looked-up token is believed. Revocation within this process ends it at once; this bounds how long one made
/// elsewhere, by another node or the command line, stays unnoticed.
const BELIEVED_FOR: Duration = Duration::from_secs(1);

const MAX_CACHED: u64 = 10_000;

/// Longer values are no tokens and are not hashed.
const MAX_LENGTH: usize = 512;

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

/// A caller, and until when the token is good.
#[derive(Clone)]
struct Known {
    identity: Arc<Identity>,
    expires_at: Option<Timestamp>,
}

/// Tokens that were looked up a moment ago, and when each was last used.
pub struct TokenCache {
    known: Cache<TokenHash, Known>,
    used: Mutex<HashMap<TokenId, Timestamp>>,
}

impl TokenCache {
    pub fn new() -> Self {
        let known = Cache::builder()
            .max_capacity(MAX_CACHED)
            .time_to_live(BELIEVED_FOR)
            .support_invalidation_closures()
            .build();
        Self {
            known,
            used: Mutex::default(),
        }
    }

    pub async fn forget(&self, hash: &TokenHash) {
        self.known.invalidate(hash).await;
    }

    pub fn forget_user(&self, user: UserId) {
        // Refused only by caches that were built without support for it.
        let invalidated = self
            .known
            .invalidate_entries_if(move |_, known| known.identity.user_id == user);
        debug_assert!(invalidated.is_ok());
    }

    fn note_use(&self, token: TokenId, now: Timestamp) {
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

impl AccessGuard {
    /// The caller of a request, or 401.
    pub(super) async fn authenticate(&self, call: Call<'_>) -> Result<Caller, ApiError> {
        let token = bearer(call.request).ok_or_else(ApiError::unauthorized)?;
        let hash = hash(token);
        let now = self.clock.now();
        let known = match self.tokens.known.get(&hash).await {
            Some(known) => known,
            None => {
                let known = self
                    .find_token(&hash)
                    .await
                    .map_err(database)?
                    .ok_or_else(ApiError::unauthorized)?;
                self.tokens.known.insert(hash, known.clone()).await;
                known
            }
        };
        if known.expires_at.is_some_and(|end| end <= now) {
            return Err(ApiError::unauthorized());
        }
        self.tokens.note_use(known.identity.token_id, now);
        Ok(Caller::new(known.identity, call))
    }

    /// The token and its user, unless the user is suspended.
    async fn find_token(&self, hash: &TokenHash) -> Result<Option<Known>, DbErr> {
        let found = tokens::Entity::find()
            .select_only()
            .column_as(tokens::Column::Id, "token_id")
            .column_as(tokens::Column::UserId, "user_id")
            .column(tokens::Column::ExpiresAt)
            .column(users::Column::Email)
            .column(users::Column::EmailVerified)
            .inner_join(users::Entity)
            .filter(tokens::Column::Hash.eq(hash.to_vec()))
            .filter(users::Column::SuspendedAt.is_null())
            .into_model::<TokenRow>()
            .one(self.db.read())
            .await?;
        Ok(found.map(|row| Known {
            expires_at: row.expires_at,
            identity: Arc::new(Identity {
                user_id: row.user_id,
                token_id: row.token_id,
                email: row.email,
                email_verified: row.email_verified,
            }),
        }))
    }

    /// Writes down when tokens were last used; called now and then, not by requests.
    pub async fn store_token_uses(&self) -> Result<(), DbErr> {
        let uses = self.tokens.take_uses();
        if uses.is_empty() {
            return Ok(());
        }
        self.db
            .write(move |tx| async move {
                for (token, used) in uses {
                    tokens::Entity::update_many()
                        .col_expr(tokens::Column::LastUsedAt, Expr::value(used))
                        .filter(tokens::Column::Id.eq(token))
                        .exec(&tx)
                        .await?;
                }
                Ok::<_, DbErr>(())
            })
            .await
    }
}

#[derive(sea_orm::FromQueryResult)]
struct TokenRow {
    token_id: TokenId,
    user_id: UserId,
    expires_at: Option<Timestamp>,
    email: String,
    email_verified: bool,
}
