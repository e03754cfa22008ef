//! Hashes in place of the ids of visitors and sessions.

use entity::ids::SiteId;
use platform::secrets::{Secrets, signature};

/// The key of the hashes, which is derived from the secret key of the server.
#[derive(Clone)]
pub struct VisitorHashes([u8; 32]);

impl VisitorHashes {
    pub fn new(secrets: &Secrets) -> Self {
        Self(secrets.derive("insight-visitors"))
    }

    /// The hash of a visitor's id, another one on each site.
    pub fn visitor(&self, site: SiteId, id: &str) -> u64 {
        self.hash(&format!("visitor {site} {id}"))
    }

    /// The hash of a session's id.
    pub fn session(&self, site: SiteId, id: &str) -> u64 {
        self.hash(&format!("session {site} {id}"))
    }

    fn hash(&self, text: &str) -> u64 {
        let signature = signature(self.0, text);
        let first = signature.first_chunk().copied().unwrap_or_default();
        u64::from_be_bytes(first)
    }
}
