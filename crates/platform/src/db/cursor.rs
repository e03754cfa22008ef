//! Opaque, signed cursors of keyset paging.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;

use crate::secrets::signer;

/// Bytes of the signature that a cursor carries; forging 128 bits is out of reach.
const TAG_LENGTH: usize = 16;

/// Longer texts are rejected without decoding.
const MAX_LENGTH: usize = 512;

/// Signs and verifies cursors with the server's key.
#[derive(Clone)]
pub struct Cursors(Hmac<Sha256>);

impl Cursors {
    pub fn new(key: [u8; 32]) -> Self {
        Self(signer(key))
    }

    /// Returns a cursor that continues after `key` in the list that `scope` describes.
    ///
    /// The scope is everything that decides about the items of the list and their order: its name, the tenant, the sort
    /// order and the filters, usually as a tuple. The scope is signed but not part of the cursor, so a cursor is valid
    /// only for the same scope.
    pub fn encode(&self, scope: &impl Serialize, key: &impl Serialize) -> Result<String, serde_json::Error> {
        let payload = serde_json::to_vec(key)?;
        let tag = self.sign(scope, &payload)?.finalize().into_bytes();
        let mut cursor: Vec<u8> = tag.into_iter().take(TAG_LENGTH).collect();
        cursor.extend_from_slice(&payload);
        Ok(URL_SAFE_NO_PAD.encode(cursor))
    }

    /// Returns the key in the cursor. `None`: the cursor was not signed by this server for this scope.
    pub fn decode<K: DeserializeOwned>(&self, scope: &impl Serialize, cursor: &str) -> Option<K> {
        if cursor.len() > MAX_LENGTH {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (tag, payload) = bytes.split_at_checked(TAG_LENGTH)?;
        // Compares in constant time.
        self.sign(scope, payload).ok()?.verify_truncated_left(tag).ok()?;
        serde_json::from_slice(payload).ok()
    }

    /// Signs the length of the scope first, so that no other split into scope and payload has the same signature.
    fn sign(&self, scope: &impl Serialize, payload: &[u8]) -> Result<Hmac<Sha256>, serde_json::Error> {
        let scope = serde_json::to_vec(scope)?;
        let mut mac = self.0.clone();
        mac.update(&scope.len().to_be_bytes());
        mac.update(&scope);
        mac.update(payload);
        Ok(mac)
    }
}

/// Hides the key.
impl std::fmt::Debug for Cursors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cursors")
    }
}
