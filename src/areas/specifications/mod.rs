//! OpenAPI specifications.

mod default_site;
pub mod guard;
pub mod openapi_specs;

use std::sync::Arc;

use openapi::guard::SpecificationsService;

use crate::{
    access::Access,
    areas::{
        authoring::Authoring, content::Contents, organizations::guard::OrganizationsGuard, publishing::visits::Visits,
        specifications::guard::SpecificationsGuard,
    },
    kernel::Kernel,
};

/// The service of this context.
pub struct Specifications {
    pub kernel: Kernel,
    pub access: Arc<Access>,
    pub contents: Arc<Contents>,
    pub authoring: Arc<Authoring>,
    organizations_guard: OrganizationsGuard,
    specifications_guard: SpecificationsGuard,
}

impl Specifications {
    pub fn new(
        kernel: &Kernel,
        access: &Arc<Access>,
        contents: &Arc<Contents>,
        authoring: &Arc<Authoring>,
        visits: &Visits,
    ) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            contents: Arc::clone(contents),
            authoring: Arc::clone(authoring),
            organizations_guard: OrganizationsGuard::new(access),
            specifications_guard: SpecificationsGuard::new(access, visits),
        }
    }
}

impl SpecificationsService for Specifications {
    type OrganizationsGuard = OrganizationsGuard;
    type SpecificationsGuard = SpecificationsGuard;

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }

    fn specifications_guard(&self) -> &SpecificationsGuard {
        &self.specifications_guard
    }
}
