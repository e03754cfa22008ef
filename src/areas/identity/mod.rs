//! Users and their tokens.

pub mod guard;
pub mod system;
pub mod tokens;
pub mod users;

use std::sync::Arc;

use openapi::guard::IdentityService;

use crate::{access::Access, areas::identity::guard::IdentityGuard, kernel::Kernel};

/// The service of this context.
pub struct Identity {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    identity_guard: IdentityGuard,
}

impl Identity {
    pub fn new(kernel: &Kernel, access: &Arc<Access>) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            identity_guard: IdentityGuard::new(access),
        }
    }
}

impl IdentityService for Identity {
    type IdentityGuard = IdentityGuard;

    fn identity_guard(&self) -> &IdentityGuard {
        &self.identity_guard
    }
}
