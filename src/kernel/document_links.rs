//! Signed addresses of the documents of OpenAPI specifications. They work without a token.

use entity::ids::OpenapiSpecVersionId;

use super::signatures;

/// Signs and verifies addresses with the server's key.
#[derive(Clone)]
pub struct DocumentLinks([u8; 32]);

impl DocumentLinks {
    pub fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Returns the signed path of a document.
    pub fn path(&self, version: OpenapiSpecVersionId) -> String {
        format!("/openapi/{}/{version}", signatures::sign(self.0, &version.to_string()))
    }

    /// Returns whether the signature was made with this key for this version.
    pub fn verify(&self, version: OpenapiSpecVersionId, signature: &str) -> bool {
        signatures::verify(self.0, &version.to_string(), signature)
    }
}

/// Hides the key.
impl std::fmt::Debug for DocumentLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DocumentLinks")
    }
}
