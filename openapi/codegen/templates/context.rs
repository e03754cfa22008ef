//! {{Context}}.

pub mod {{area}};

use std::sync::Arc;

use openapi::guard::{{Service}}Service;

use crate::{access::Access, areas::organizations::guard::OrganizationsGuard, kernel::Kernel};

/// The service of this context.
pub struct {{Service}} {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    organizations_guard: OrganizationsGuard,
}

impl {{Service}} {
    pub fn new(kernel: &Kernel, access: &Arc<Access>) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            organizations_guard: OrganizationsGuard::new(access),
        }
    }
}

impl {{Service}}Service for {{Service}} {
    type OrganizationsGuard = OrganizationsGuard;

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }
}
