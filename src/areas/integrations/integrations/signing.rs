//! The keys by which scripts sign and verify. They are derived from the secret key of the server and not stored.

use entity::{
    base32,
    ids::{ContentInstallationId, IntegrationId, IntegrationInstallationId},
};

use crate::kernel::Kernel;

pub fn integration_key(kernel: &Kernel, integration: IntegrationId) -> String {
    derive(kernel, &format!("signing key of the integration {integration}"))
}

pub fn installation_key(kernel: &Kernel, installation: IntegrationInstallationId) -> String {
    derive(kernel, &format!("signing key of the installation {installation}"))
}

/// The key of an installation on one space or site.
pub fn content_installation_key(kernel: &Kernel, installation: ContentInstallationId) -> String {
    derive(
        kernel,
        &format!("signing key of the content installation {installation}"),
    )
}

fn derive(kernel: &Kernel, purpose: &str) -> String {
    base32::encode(&kernel.secrets.derive(purpose))
}
