//! Signed addresses of PDFs. They work without a token, until they expire.

use chrono::TimeDelta;
use entity::{base32, ids::PdfExportId, timestamp::Timestamp};
use platform::secrets::signature;
use subtle::ConstantTimeEq;

/// Bytes of the signature: 160 bits, beyond guessing.
const TAG_LENGTH: usize = 20;

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
        format!("/pdf/{}/{expires}/{export}", self.sign(export, expires))
    }

    /// Returns the export of the rest of a path after `/pdf/`. `None`: the signature is not of this key, or has expired.
    pub fn verify(&self, path: &str, now: Timestamp) -> Option<PdfExportId> {
        let mut parts = path.split('/');
        let (signature, expires, export) = (parts.next()?, parts.next()?, parts.next()?);
        let (expires, export): (i64, PdfExportId) = (expires.parse().ok()?, export.parse().ok()?);
        let is_signed: bool = self.sign(export, expires).as_bytes().ct_eq(signature.as_bytes()).into();
        (is_signed && parts.next().is_none() && expires > now.to_utc().timestamp()).then_some(export)
    }

    fn sign(&self, export: PdfExportId, expires: i64) -> String {
        let whole = signature(self.0, &format!("{export} {expires}"));
        let tag: Vec<u8> = whole.into_iter().take(TAG_LENGTH).collect();
        base32::encode(&tag)
    }
}

/// Hides the key.
impl std::fmt::Debug for PdfLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PdfLinks")
    }
}
