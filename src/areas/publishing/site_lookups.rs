//! Caches of sites for finding content by its address.

use std::sync::Arc;

use entity::{
    ids::SiteId,
    publishing::sites::{self, publishing_auth},
};
use expressions::VisitorSchema;

use crate::kernel::recent::Recent;

/// Memory of the sites by name. Names that no site has are kept too.
const CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// Approximate memory of a site with its name.
const SITE_BYTES: usize = 1024;

const MAX_RULES: u64 = 10_000;

/// The rules by which a site lets visitors in and takes their claims.
pub struct VisitorRules {
    pub auth: publishing_auth::Model,
    /// `None`: the site knows all claims.
    pub schema: Option<VisitorSchema>,
}

pub struct SiteLookups {
    /// Published sites by the names in their addresses.
    pub by_name: Recent<String, Option<sites::Model>>,
    pub rules: Recent<SiteId, Arc<VisitorRules>>,
}

impl Default for SiteLookups {
    fn default() -> Self {
        Self {
            by_name: Recent::with_bytes(CACHE_BYTES, |name: &String, _| name.len().saturating_add(SITE_BYTES)),
            rules: Recent::with_entries(MAX_RULES),
        }
    }
}
