//! Signatures in addresses that work without a token.

use entity::base32;
use platform::secrets::signature;
use subtle::ConstantTimeEq;

/// Bytes of a signature: 160 bits, beyond guessing.
const TAG_LENGTH: usize = 20;

/// Returns the signature of a text.
pub fn sign(key: [u8; 32], text: &str) -> String {
    let whole = signature(key, text);
    let tag: Vec<u8> = whole.into_iter().take(TAG_LENGTH).collect();
    base32::encode(&tag)
}

/// Returns whether a signature was made with this key for this text, in constant time.
pub fn verify(key: [u8; 32], text: &str, signature: &str) -> bool {
    sign(key, text).as_bytes().ct_eq(signature.as_bytes()).into()
}
