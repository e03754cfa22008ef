//! Signed addresses of the documents of OpenAPI specifications. They work without a token.

use entity::{base32, ids::OpenapiSpecVersionId};
use platform::secrets::signature;
use subtle::ConstantTimeEq;

/// Bytes of the signature: 160 bits, beyond guessing.
const TAG_LENGTH: usize = 20;

/// Signs and verifies addresses with the server's key.
#[derive(Clone)]
pub struct DocumentLinks([u8; 32]);

impl DocumentLinks {
    pub fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Returns the signed path of a document.
    pub fn path(&self, version: OpenapiSpecVersionId) -> String {
        format!("/openapi/{}/{version}", self.sign(version))
    }

    /// Returns whether the signature was made with this key for this version.
    pub fn verify(&self, version: OpenapiSpecVersionId, signature: &str) -> bool {
        self.sign(version).as_bytes().ct_eq(signature.as_bytes()).into()
    }

    fn sign(&self, version: OpenapiSpecVersionId) -> String {
        let whole = signature(self.0, &version.to_string());
        let tag: Vec<u8> = whole.into_iter().take(TAG_LENGTH).collect();
        base32::encode(&tag)
    }
}

/// Hides the key.
impl std::fmt::Debug for DocumentLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DocumentLinks")
    }
}
