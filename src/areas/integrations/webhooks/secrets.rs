//! The secrets of webhooks, and signatures.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::TimeDelta;
use entity::{ids::WebhookId, integrations::webhooks::Model, timestamp::Timestamp};
use openapi::error::ApiError;
use platform::secrets::{Unsealable, signature};
use sea_orm::JsonValue;
use serde::{Deserialize, Serialize};

use crate::kernel::Kernel;

/// Begins the texts of secrets.
const PREFIX: &str = "whsec_";

/// The time for which a secret that was replaced signs too.
const REPLACED_LIFETIME: TimeDelta = TimeDelta::hours(24);

/// Secrets that were replaced and sign too, at most: requests have a signature with each.
const MAX_REPLACED: usize = 20;

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

/// A secret that was replaced, as it is stored.
#[derive(Serialize, Deserialize)]
struct Replaced {
    /// Sealed, in base64.
    secret: String,
    ends_at: Timestamp,
}

/// The secrets that sign besides the one of a webhook, the newest first.
fn replaced(webhook: &Model, now: Timestamp) -> Vec<Replaced> {
    let stored: Vec<Replaced> = serde_json::from_value(webhook.previous_secrets.clone()).unwrap_or_default();
    stored.into_iter().filter(|replaced| now < replaced.ends_at).collect()
}

/// The replaced secrets once that of the webhook is one of them, as they are stored.
pub fn with_replaced(webhook: &Model, now: Timestamp) -> Result<JsonValue, ApiError> {
    let last = Replaced {
        secret: STANDARD.encode(&webhook.secret),
        ends_at: now.plus(REPLACED_LIFETIME),
    };
    let all: Vec<Replaced> = [last]
        .into_iter()
        .chain(replaced(webhook, now))
        .take(MAX_REPLACED)
        .collect();
    Ok(serde_json::to_value(all)?)
}

/// The header `webhook-signature` of a message: a signature with each secret that is valid.
pub fn sign(kernel: &Kernel, webhook: &Model, message: &str, now: Timestamp) -> Result<String, Unsealable> {
    let previous = replaced(webhook, now).into_iter();
    let previous = previous.filter_map(|replaced| STANDARD.decode(replaced.secret).ok());
    let mut signatures = Vec::new();
    for sealed in [webhook.secret.clone()].into_iter().chain(previous) {
        let opened = kernel.secrets.open(&purpose(webhook.id), &sealed)?;
        let key = Key::try_from(opened.as_slice()).map_err(|_| Unsealable)?;
        signatures.push(format!("v1,{}", STANDARD.encode(signature(key, message))));
    }
    Ok(signatures.join(" "))
}
