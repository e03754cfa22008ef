//! The guard's connection, clock and cached tokens.

use std::sync::Arc;

use expressions::Evaluator;
use platform::db::{Clock, Db};

use super::{
    open_sites::OpenSites, organization_creators::OrganizationCreators, site_layouts::SiteLayouts, tokens::TokenCache,
    visitors::Visitors,
};

/// Decides what callers may do; the stubs ask it before each handler.
pub struct AccessGuard {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) organization_creators: OrganizationCreators,
    pub(super) visitors: Visitors,
    pub(super) expressions: Arc<Evaluator>,
    pub(super) open_sites: OpenSites,
    pub site_layouts: SiteLayouts,
    pub(super) tokens: TokenCache,
}

impl AccessGuard {
    pub fn new(
        db: Db,
        clock: Clock,
        organization_creators: OrganizationCreators,
        visitors: Visitors,
        expressions: Arc<Evaluator>,
    ) -> Self {
        Self {
            db,
            clock,
            organization_creators,
            visitors,
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
