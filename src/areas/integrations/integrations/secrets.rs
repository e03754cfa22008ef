//! The secrets of integrations, which only their scripts get.

use std::collections::BTreeMap;

use entity::{ids::IntegrationId, integrations::Model};
use openapi::error::ApiError;

use crate::kernel::Kernel;

/// Seals the secrets of an integration for its row.
pub fn seal(
    kernel: &Kernel,
    integration: IntegrationId,
    secrets: &BTreeMap<String, String>,
) -> Result<Vec<u8>, ApiError> {
    let sealed = kernel
        .secrets
        .seal(&purpose(integration), &serde_json::to_vec(secrets)?);
    sealed.map_err(|error| ApiError::internal(error.to_string()))
}

/// The secrets of an integration by their names.
pub fn open(kernel: &Kernel, row: &Model) -> Result<BTreeMap<String, String>, ApiError> {
    let opened = kernel.secrets.open(&purpose(row.id), &row.secrets);
    let opened = opened.map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(serde_json::from_slice(&opened)?)
}

fn purpose(integration: IntegrationId) -> String {
    format!("secrets of the integration {integration}")
}
