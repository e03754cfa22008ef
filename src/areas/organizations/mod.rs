//! Organizations, their people and teams, and the audit log.

pub mod audit;
pub mod default_site;
pub mod guard;
pub mod members;
pub mod merge_rules;
#[expect(clippy::module_inception, reason = "the context is named after its main area")]
pub mod organizations;
pub mod saml_providers;
pub mod saml_work;
pub mod sign_in;
pub mod teams;

use std::sync::Arc;

use openapi::guard::OrganizationsService;

use self::{default_site::DefaultSites, saml_work::SamlWork};
use crate::{
    access::Access,
    areas::{
        identity::{Identity, guard::IdentityGuard},
        organizations::guard::OrganizationsGuard,
    },
    kernel::Kernel,
};

/// The service of this context.
pub struct Organizations {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    pub identity: Arc<Identity>,
    /// Makes the sites of new organizations.
    pub default_sites: Arc<dyn DefaultSites>,
    pub saml_work: SamlWork,
    identity_guard: IdentityGuard,
    organizations_guard: OrganizationsGuard,
}

impl Organizations {
    pub fn new(
        kernel: &Kernel,
        access: &Arc<Access>,
        identity: &Arc<Identity>,
        default_sites: Arc<dyn DefaultSites>,
    ) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            identity: Arc::clone(identity),
            default_sites,
            saml_work: SamlWork::default(),
            identity_guard: IdentityGuard::new(access),
            organizations_guard: OrganizationsGuard::new(access),
        }
    }
}

impl OrganizationsService for Organizations {
    type IdentityGuard = IdentityGuard;
    type OrganizationsGuard = OrganizationsGuard;

    fn identity_guard(&self) -> &IdentityGuard {
        &self.identity_guard
    }

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }
}
