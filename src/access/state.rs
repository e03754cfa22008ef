//! The guard's connection, clock and cached tokens.

use entity::ids::UserId;
use platform::db::{Clock, Db};

use super::{organization_creators::OrganizationCreators, tokens::TokenCache};

/// Decides what callers may do; the stubs ask it before each handler.
pub struct AccessGuard {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) organization_creators: OrganizationCreators,
    pub tokens: TokenCache,
}

impl AccessGuard {
    pub fn new(db: Db, clock: Clock, organization_creators: OrganizationCreators) -> Self {
        Self {
            db,
            clock,
            organization_creators,
            tokens: TokenCache::new(),
        }
    }

    /// Drops the cached tokens of a user, so that a change counts from the next request on.
    pub fn forget_user(&self, user: UserId) {
        self.tokens.forget_user(user);
    }
}
