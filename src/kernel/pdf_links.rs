//! Signed addresses of PDFs. They work without a token, until they expire.

use chrono::TimeDelta;
use entity::{ids::PdfExportId, timestamp::Timestamp};

use super::signatures;

/// The lifetime of an address.
const LIFETIME: TimeDelta = TimeDelta::hours(1);

/// Signs and verifies addresses with the server's key.
#[derive(Clone)]
pub struct PdfLinks([u8; 32]);

impl PdfLinks {
    pub fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Returns the signed path of an export, which expires in an hour.
    pub fn path(&self, export: PdfExportId, now: Timestamp) -> String {
        let rest = signatures::temporary(self.0, LIFETIME, &export.to_string(), now);
        format!("/pdf/{rest}")
    }

    /// Returns the export of the rest of a path after `/pdf/`. `None`: the signature is not of this key, or has expired.
    pub fn verify(&self, path: &str, now: Timestamp) -> Option<PdfExportId> {
        signatures::verify_temporary(self.0, path, now)?.parse().ok()
    }
}

/// Hides the key.
impl std::fmt::Debug for PdfLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PdfLinks")
    }
}
