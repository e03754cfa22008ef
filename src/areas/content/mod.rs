//! The content of spaces: stored and computed pages, and their entries in the search. No tag of the contract names this
//! context; those above read and write through it.

pub mod computed;
pub mod conditions;
pub mod content_urls;
pub mod content_writes;
pub mod hooks;
pub mod search_jobs;
pub mod slugs;
pub mod space_integrations;

use std::sync::Arc;

use content::state::ContentState;
use expressions::Evaluator;

use self::{
    computed::{OutlineCache, StoredPagesCache, TreeCache},
    space_integrations::SpaceIntegrations,
};
use crate::kernel::Kernel;

/// The content of all spaces, with the caches of what does not change.
pub struct Contents {
    pub kernel: Kernel,
    pub state: ContentState,
    pub outlines: OutlineCache,
    pub trees: TreeCache,
    pub expressions: Evaluator,
    pub stored_pages: StoredPagesCache,
    pub integrations: Arc<dyn SpaceIntegrations>,
}

impl Contents {
    pub fn new(kernel: &Kernel, integrations: Arc<dyn SpaceIntegrations>) -> Self {
        Self {
            kernel: kernel.clone(),
            state: ContentState::default(),
            outlines: OutlineCache::default(),
            trees: TreeCache::default(),
            expressions: Evaluator::default(),
            stored_pages: StoredPagesCache::default(),
            integrations,
        }
    }
}
