//! The guard's connection, clock and cached tokens, and how it recognizes visitors of sites.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openapi::{call::Call, error::ApiError};
use platform::db::{Clock, Db};

use crate::kernel::{Kernel, idempotency::IdempotencyKeys};

use super::{
    Caller, SiteReader, integration_tokens::IntegrationTokens, organization_creators::OrganizationCreators,
    tokens::TokenCache,
};

/// Decides what callers may do; the stubs ask it before each handler.
pub struct Access {
    pub db: Db,
    pub clock: Clock,
    pub organization_creators: OrganizationCreators,
    visitors: Arc<dyn Visitors>,
    pub tokens: TokenCache,
    pub integration_tokens: IntegrationTokens,
    pub idempotency_keys: IdempotencyKeys,
}

impl Access {
    pub fn new(kernel: &Kernel, organization_creators: OrganizationCreators, visitors: Arc<dyn Visitors>) -> Self {
        Self {
            db: kernel.db.clone(),
            clock: kernel.clock.clone(),
            organization_creators,
            visitors,
            tokens: TokenCache::default(),
            integration_tokens: IntegrationTokens::new(&kernel.secrets),
            idempotency_keys: IdempotencyKeys::new(kernel.db.clone(), kernel.clock.clone(), kernel.secrets.clone()),
        }
    }

    /// Has all tokens looked up again, so that a change of one or of its user counts from the next request on.
    pub fn forget_tokens(&self) {
        self.tokens.forget();
    }

    /// The visitor whom a request comes from, like [`Visitors::visitor`].
    pub async fn visitor(&self, call: Call<'_>, object: &'static str) -> Result<Option<Visitor>, ApiError> {
        self.visitors.visitor(self, call, object).await
    }
}

/// A request of a visitor.
pub struct Visitor {
    pub caller: Caller,
    pub site: Arc<dyn SiteReader>,
}

/// Recognizes visitors. Implemented by `publishing`.
pub trait Visitors: Send + Sync {
    /// The visitor whom a request comes from, by the token of a visitor or the key of a share link; 401 if the token is not valid,
    /// and 404 with the name of the object if the key is not, or the site is not open to the visitor. `None`: a user.
    fn visitor<'a>(
        &'a self,
        access: &'a Access,
        call: Call<'a>,
        object: &'static str,
    ) -> BoxFuture<'a, Result<Option<Visitor>, ApiError>>;
}
