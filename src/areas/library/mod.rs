//! Spaces, collections, and who may do what with them.

pub mod collections;
pub mod guard;
pub mod invitations;
pub mod invite_links;
pub mod link_targets;
pub mod permissions;
pub mod spaces;
pub mod targets;
pub mod templates;
pub mod tree;

use std::sync::Arc;

use openapi::guard::LibraryService;
use platform::config::Settings;

use crate::{
    access::Access,
    areas::{
        content::Contents, identity::guard::IdentityGuard, library::guard::LibraryGuard,
        organizations::guard::OrganizationsGuard,
    },
    kernel::Kernel,
};

/// The service of this context.
pub struct Library {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    pub contents: Arc<Contents>,
    /// Mails with invitations that each organization may send in a day.
    pub invitations_per_day: usize,
    identity_guard: IdentityGuard,
    library_guard: LibraryGuard,
    organizations_guard: OrganizationsGuard,
}

impl Library {
    pub fn new(kernel: &Kernel, access: &Arc<Access>, contents: &Arc<Contents>, settings: &Settings) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            contents: Arc::clone(contents),
            invitations_per_day: settings.invitations_per_day,
            identity_guard: IdentityGuard::new(access),
            library_guard: LibraryGuard::new(access),
            organizations_guard: OrganizationsGuard::new(access),
        }
    }
}

impl LibraryService for Library {
    type IdentityGuard = IdentityGuard;
    type LibraryGuard = LibraryGuard;
    type OrganizationsGuard = OrganizationsGuard;

    fn identity_guard(&self) -> &IdentityGuard {
        &self.identity_guard
    }

    fn library_guard(&self) -> &LibraryGuard {
        &self.library_guard
    }

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }
}
