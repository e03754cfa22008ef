//! Keys derived from the server's one secret key, a separate one for each purpose.

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

    /// The key for a purpose; other purposes tell nothing about it.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        let mut key = [0; 32];
        // 32 bytes are far below what the function can expand to, its only failure.
        let expanded = Hkdf::<Sha256>::new(None, self.0.as_ref()).expand(purpose.as_bytes(), &mut key);
        debug_assert!(expanded.is_ok());
        key
    }
}

/// What signs with a key.
pub fn signer(key: [u8; 32]) -> Hmac<Sha256> {
    // The hash's block is twice as long; what is missing of it is zero.
    let mut block = Key::<Hmac<Sha256>>::default();
    block.iter_mut().zip(key).for_each(|(byte, of_key)| *byte = of_key);
    Hmac::new(&block)
}

/// The HMAC-SHA-256 of a text.
pub fn signature(key: [u8; 32], text: &str) -> [u8; 32] {
    signer(key).chain_update(text).finalize().into_bytes().into()
}

/// Without the key.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets")
    }
}
