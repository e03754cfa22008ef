//! OpenAPI specifications.

mod default_site;
pub mod openapi_specs;

use std::sync::Arc;

use openapi::guard::Service;

use crate::{
    access::AccessGuard,
    areas::{authoring::Authoring, content::Contents},
    kernel::Kernel,
};

/// The service of this context.
pub struct Specifications {
    pub kernel: Kernel,
    pub access: Arc<AccessGuard>,
    pub contents: Arc<Contents>,
    pub authoring: Arc<Authoring>,
}

impl Specifications {
    pub fn new(
        kernel: &Kernel,
        access: &Arc<AccessGuard>,
        contents: &Arc<Contents>,
        authoring: &Arc<Authoring>,
    ) -> Self {
        Self {
            kernel: kernel.clone(),
            access: Arc::clone(access),
            contents: Arc::clone(contents),
            authoring: Arc::clone(authoring),
        }
    }
}

impl Service for Specifications {
    type Guard = AccessGuard;

    fn guard(&self) -> &AccessGuard {
        &self.access
    }
}
