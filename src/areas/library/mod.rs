//! Spaces, collections, and who may do what with them.

pub mod collection_permissions;
pub mod collections;
pub mod invitations;
pub mod link_targets;
pub mod permissions;
pub mod space_permissions;
pub mod spaces;
pub mod templates;
pub mod tree;

use std::sync::Arc;

use openapi::guard::Service;
use platform::config::Settings;

use crate::{access::AccessGuard, areas::content::Contents, kernel::Kernel};

/// The service of this context.
pub struct Library {
    pub kernel: Kernel,
    pub access: Arc<AccessGuard>,
    pub contents: Arc<Contents>,
    /// Mails with invitations that each organization may send in a day.
    pub invitations_per_day: usize,
}

impl Library {
    pub fn new(kernel: &Kernel, access: &Arc<AccessGuard>, contents: &Arc<Contents>, settings: &Settings) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            contents: Arc::clone(contents),
            invitations_per_day: settings.invitations_per_day,
        }
    }
}

impl Service for Library {
    type Guard = AccessGuard;

    fn guard(&self) -> &AccessGuard {
        &self.access
    }
}
