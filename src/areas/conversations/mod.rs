//! Conversations with customers, the issues that they have, and clusters of similar issues.

#[expect(clippy::module_inception, reason = "the context is named after its main area")]
pub mod conversations;
mod model;

use std::sync::Arc;

use openapi::guard::ConversationsService;
use platform::config::Settings;

use self::model::IssuesModel;
use crate::{access::Access, areas::organizations::guard::OrganizationsGuard, kernel::Kernel};

/// The service of this context.
pub struct Conversations {
    pub kernel: Kernel,
    pub model: IssuesModel,
    organizations_guard: OrganizationsGuard,
}

impl Conversations {
    pub fn new(kernel: &Kernel, access: &Arc<Access>, settings: &Settings) -> Self {
        Self {
            kernel: kernel.clone(),
            model: IssuesModel::new(settings),
            organizations_guard: OrganizationsGuard::new(access),
        }
    }
}

impl ConversationsService for Conversations {
    type OrganizationsGuard = OrganizationsGuard;

    fn organizations_guard(&self) -> &OrganizationsGuard {
        &self.organizations_guard
    }
}
