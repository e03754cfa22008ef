//! Keys derived from the server's secret key, a separate one for each purpose.

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac, digest::Key};
use sha2::Sha256;
use zeroize::Zeroizing;

#[derive(Clone)]
pub struct Secrets(Zeroizing<[u8; 32]>);

impl Secrets {
    pub fn new(key: &[u8; 32]) -> Self {
        Self(Zeroizing::new(*key))
    }

    /// Derives the key for a purpose. It cannot be computed from the keys for other purposes.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        let mut key = [0; 32];
        // Fails only for far more than 32 bytes.
        let expanded = Hkdf::<Sha256>::new(None, self.0.as_ref()).expand(purpose.as_bytes(), &mut key);
        debug_assert!(expanded.is_ok());
        key
    }
}

/// Returns an HMAC with this key.
pub fn signer(key: [u8; 32]) -> Hmac<Sha256> {
    // The hash's block is twice as long as the key; the rest is zero.
    let mut block = Key::<Hmac<Sha256>>::default();
    block.iter_mut().zip(key).for_each(|(byte, of_key)| *byte = of_key);
    Hmac::new(&block)
}

/// Returns the HMAC-SHA-256 of a text.
pub fn signature(key: [u8; 32], text: &str) -> [u8; 32] {
    signer(key).chain_update(text).finalize().into_bytes().into()
}

/// Hides the key.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets")
    }
}
