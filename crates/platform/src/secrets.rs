//! Keys derived from the server's secret key, a separate one for each purpose, and secrets that are stored encrypted.

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
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

    /// Encrypts a secret for a purpose, such as the row that it is stored in: it opens for no other one.
    pub fn seal(&self, purpose: &str, secret: &[u8]) -> Result<Vec<u8>, Unsealable> {
        let mut sealed = secret.to_vec();
        let nonce = self
            .sealing_key()?
            .seal_in_place_append_tag(Aad::from(purpose), &mut sealed);
        let nonce = nonce.map_err(|_| Unsealable)?;
        Ok([nonce.as_ref().as_slice(), &sealed].concat())
    }

    /// Decrypts a secret that was sealed for this purpose with this secret key.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>().ok_or(Unsealable)?;
        let mut text = Zeroizing::new(sealed.to_vec());
        let key = self.sealing_key()?;
        let opened = key.open_in_place(Nonce::from(nonce), Aad::from(purpose), &mut text);
        let length = opened.map_err(|_| Unsealable)?.len();
        text.truncate(length);
        Ok(text)
    }

    fn sealing_key(&self) -> Result<RandomizedNonceKey, Unsealable> {
        RandomizedNonceKey::new(&AES_256_GCM, &self.derive("sealed secrets")).map_err(|_| Unsealable)
    }
}

/// A secret was sealed with another secret key or for another purpose, or is no sealed secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsealable;

impl std::fmt::Display for Unsealable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a stored secret cannot be opened with the secret key of this server")
    }
}

impl std::error::Error for Unsealable {}

/// Returns an HMAC with this key.
pub fn signer(key: [u8; 32]) -> Hmac<Sha256> {
    // The hash's block is twice as long as the key; the rest is zero.
    let mut block = Key::<Hmac<Sha256>>::default();
    block.iter_mut().zip(key).for_each(|(byte, of_key)| *byte = of_key);
    Hmac::new(&block)
}

/// Returns the HMAC-SHA-256 of a text.
pub fn signature(key: [u8; 32], text: &str) -> [u8; 32] {
    signature_of_bytes(key, text.as_bytes())
}

pub fn signature_of_bytes(key: [u8; 32], bytes: &[u8]) -> [u8; 32] {
    signer(key).chain_update(bytes).finalize().into_bytes().into()
}

/// Hides the key.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_secret_opens_for_its_purpose_alone() {
        let secrets = Secrets::new(&[7; 32]);
        let sealed = secrets.seal("row 1", b"the key").unwrap();
        assert_eq!(secrets.open("row 1", &sealed).unwrap().as_slice(), b"the key");
        assert!(!sealed.windows(7).any(|part| part == b"the key"));
        assert_ne!(secrets.seal("row 1", b"the key").unwrap(), sealed);
        let mut changed = sealed.clone();
        changed[20] ^= 1;
        for (purpose, sealed) in [
            ("row 2", sealed.as_slice()),
            ("row 1", &changed),
            ("row 1", &sealed[1..]),
            ("row 1", &sealed[..sealed.len() - 1]),
            ("row 1", b"short"),
            ("row 1", b""),
        ] {
            assert_eq!(secrets.open(purpose, sealed), Err(Unsealable));
        }
        assert_eq!(Secrets::new(&[8; 32]).open("row 1", &sealed), Err(Unsealable));
    }
}
