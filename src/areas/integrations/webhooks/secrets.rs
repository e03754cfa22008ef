//! The secrets of webhooks, and signatures.

use base64::{Engine, engine::general_purpose::STANDARD};
use entity::{ids::WebhookId, integrations::webhooks::Model, timestamp::Timestamp};
use openapi::error::ApiError;
use platform::secrets::{Unsealable, signature};

use crate::kernel::Kernel;

/// Begins the texts of secrets.
const PREFIX: &str = "whsec_";

/// The key of signatures.
pub type Key = [u8; 32];

pub fn generate() -> Result<Key, ApiError> {
    let mut key = Key::default();
    getrandom::fill(&mut key).map_err(|error| ApiError::internal(error.to_string()))?;
    Ok(key)
}

/// The form in which people are shown a secret.
pub fn text(key: &Key) -> String {
    format!("{PREFIX}{}", STANDARD.encode(key))
}

pub fn seal(kernel: &Kernel, webhook: WebhookId, key: &Key) -> Result<Vec<u8>, ApiError> {
    let sealed = kernel.secrets.seal(&purpose(webhook), key);
    sealed.map_err(ApiError::internal)
}

fn purpose(webhook: WebhookId) -> String {
    format!("webhook {webhook}")
}

/// The header `webhook-signature` of a message: a signature with each secret that is valid.
pub fn sign(kernel: &Kernel, webhook: &Model, message: &str, now: Timestamp) -> Result<String, Unsealable> {
    let previous = webhook.previous_secret.as_ref();
    let previous = previous.filter(|_| webhook.previous_secret_ends_at.is_some_and(|end| now < end));
    let mut signatures = Vec::new();
    for sealed in [&webhook.secret].into_iter().chain(previous) {
        let opened = kernel.secrets.open(&purpose(webhook.id), sealed)?;
        let key = Key::try_from(opened.as_slice()).map_err(|_| Unsealable)?;
        signatures.push(format!("v1,{}", STANDARD.encode(signature(key, message))));
    }
    Ok(signatures.join(" "))
}
