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
        let expires = now.plus(LIFETIME).to_utc().timestamp();
        let signature = signatures::sign(self.0, &signed(export, expires));
        format!("/pdf/{signature}/{expires}/{export}")
    }

    /// Returns the export of the rest of a path after `/pdf/`. `None`: the signature is not of this key, or has expired.
    pub fn verify(&self, path: &str, now: Timestamp) -> Option<PdfExportId> {
        let mut parts = path.split('/');
        let (signature, expires, export) = (parts.next()?, parts.next()?, parts.next()?);
        let (expires, export): (i64, PdfExportId) = (expires.parse().ok()?, export.parse().ok()?);
        let is_signed = signatures::verify(self.0, &signed(export, expires), signature);
        (is_signed && parts.next().is_none() && expires > now.to_utc().timestamp()).then_some(export)
    }
}

/// The text that is signed.
fn signed(export: PdfExportId, expires: i64) -> String {
    format!("{export} {expires}")
}

/// Hides the key.
impl std::fmt::Debug for PdfLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PdfLinks")
    }
}
