//! Users and their tokens.

pub mod system;
pub mod tokens;
pub mod users;

use std::sync::Arc;

use openapi::guard::Service;

use crate::{access::AccessGuard, kernel::Kernel};

/// The service of this context.
pub struct Identity {
    pub kernel: Kernel,
    pub access: Arc<AccessGuard>,
}

impl Identity {
    pub fn new(kernel: &Kernel, access: &Arc<AccessGuard>) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
        }
    }
}

impl Service for Identity {
    type Guard = AccessGuard;

    fn guard(&self) -> &AccessGuard {
        &self.access
    }
}
