//! Organizations, their people and teams, and the audit log.

pub mod audit;
pub mod default_site;
pub mod members;
pub mod merge_rules;
#[expect(clippy::module_inception, reason = "the context is named after its main area")]
pub mod organizations;
pub mod saml_providers;
pub mod sign_in;
pub mod teams;

use std::sync::Arc;

use openapi::guard::Service;

use self::default_site::DefaultSites;
use crate::{access::AccessGuard, areas::identity::Identity, kernel::Kernel};

/// The service of this context.
pub struct Organizations {
    pub kernel: Kernel,
    pub access: Arc<AccessGuard>,
    pub identity: Arc<Identity>,
    /// Makes the sites of new organizations.
    pub default_sites: Arc<dyn DefaultSites>,
}

impl Organizations {
    pub fn new(
        kernel: &Kernel,
        access: &Arc<AccessGuard>,
        identity: &Arc<Identity>,
        default_sites: Arc<dyn DefaultSites>,
    ) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            identity: Arc::clone(identity),
            default_sites,
        }
    }
}

impl Service for Organizations {
    type Guard = AccessGuard;

    fn guard(&self) -> &AccessGuard {
        &self.access
    }
}
