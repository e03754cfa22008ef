//! Integrations: scripts of others that extend the server.

pub mod authors;
pub mod content_sources;
pub mod deliveries;
pub mod endpoints;
pub mod guard;
pub mod hooks;
pub mod installation_access;
pub mod integration_access;
pub mod integration_events;
pub mod integration_installations;
pub mod integration_rendering;
pub mod integration_tokens;
#[expect(clippy::module_inception, reason = "the context is named after its main area")]
pub mod integrations;
pub mod link_blocks;
pub mod outbox;
pub mod place;
pub mod running;
pub mod site_integrations;
pub mod space_events;
pub mod space_integrations;
mod subscribers;
pub mod visitor_events;
pub mod webhooks;

use std::sync::Arc;

use openapi::guard::IntegrationsService;
use platform::config::Settings;

use self::running::Runner;

use crate::{
    access::Access,
    areas::{
        identity::guard::IdentityGuard,
        integrations::guard::IntegrationsGuard,
        library::guard::LibraryGuard,
        organizations::guard::OrganizationsGuard,
        publishing::{guard::PublishingGuard, visits::Visits},
    },
    kernel::Kernel,
};

/// The service of this context.
pub struct Integrations {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    pub visits: Visits,
    pub runner: Runner,
    identity_guard: IdentityGuard,
    organizations_guard: OrganizationsGuard,
    library_guard: LibraryGuard,
    publishing_guard: PublishingGuard,
    integrations_guard: IntegrationsGuard,
}

impl Integrations {
    pub fn new(kernel: &Kernel, access: &Arc<Access>, visits: &Visits, settings: &Settings) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            visits: visits.clone(),
            runner: Runner::new(settings),
            identity_guard: IdentityGuard::new(access),
            organizations_guard: OrganizationsGuard::new(access),
            library_guard: LibraryGuard::new(access),
            publishing_guard: PublishingGuard::new(access, visits),
            integrations_guard: IntegrationsGuard::new(access),
        }
    }
}

impl IntegrationsService for Integrations {
    type IdentityGuard = IdentityGuard;
    type OrganizationsGuard = OrganizationsGuard;
    type LibraryGuard = LibraryGuard;
    type PublishingGuard = PublishingGuard;
    type IntegrationsGuard = IntegrationsGuard;

    fn identity_guard(&self) -> &IdentityGuard {
        &self.identity_guard
    }

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }

    fn library_guard(&self) -> &LibraryGuard {
        &self.library_guard
    }

    fn publishing_guard(&self) -> &PublishingGuard {
        &self.publishing_guard
    }

    fn integrations_guard(&self) -> &IntegrationsGuard {
        &self.integrations_guard
    }
}
