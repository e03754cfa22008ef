//! The guard's connection, clock and cached tokens.

use std::sync::Arc;

use expressions::Evaluator;
use platform::db::{Clock, Db};

use crate::kernel::Kernel;

use super::{
    open_sites::OpenSites, organization_creators::OrganizationCreators, site_layouts::SiteLayouts, tokens::TokenCache,
    visitors::Visitors,
};

/// Decides what callers may do; the stubs ask it before each handler.
pub struct AccessGuard {
    pub db: Db,
    pub clock: Clock,
    pub organization_creators: OrganizationCreators,
    pub visitors: Visitors,
    pub expressions: Arc<Evaluator>,
    pub open_sites: OpenSites,
    pub site_layouts: SiteLayouts,
    pub tokens: TokenCache,
}

impl AccessGuard {
    pub fn new(kernel: &Kernel, organization_creators: OrganizationCreators, expressions: Arc<Evaluator>) -> Self {
        Self {
            db: kernel.db.clone(),
            clock: kernel.clock.clone(),
            organization_creators,
            visitors: Visitors::new(&kernel.secrets),
            expressions,
            open_sites: OpenSites::default(),
            site_layouts: SiteLayouts::default(),
            tokens: TokenCache::default(),
        }
    }

    /// Has all tokens looked up again, so that a change of one or of its user counts from the next request on.
    pub fn forget_tokens(&self) {
        self.tokens.forget();
    }
}
