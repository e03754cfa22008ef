//! The settings of sites that are in force, kept by the version of the site: every change of them is a new version.

use std::sync::Arc;

use content::cache::{ByteCache, Cached};
use entity::{ids::SiteId, publishing::sites::Model as Site};
use openapi::error::ApiError;

use super::store::{InForce, load_all};

use crate::areas::publishing::Publishing;

/// Approximate bytes of settings.
const SETTINGS_BYTES: usize = 16 * 1024;

impl Cached for InForce {
    const CACHE_BYTES: u64 = 16 * 1024 * 1024;

    fn weight(&self) -> usize {
        self.of_site_spaces
            .len()
            .saturating_add(1)
            .saturating_mul(SETTINGS_BYTES)
    }
}

pub type InForceCache = ByteCache<(SiteId, i64), InForce>;

pub async fn load(publishing: &Publishing, site: &Site) -> Result<Arc<InForce>, ApiError> {
    let key = (site.id, site.version);
    if let Some(kept) = publishing.settings_in_force.get(&key) {
        return Ok(kept);
    }
    let loaded = Arc::new(load_all(publishing.kernel.db.read(), site).await?);
    publishing.settings_in_force.insert(key, Arc::clone(&loaded));
    Ok(loaded)
}
