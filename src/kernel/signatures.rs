//! Signatures in addresses that work without a token.

use chrono::TimeDelta;
use entity::{base32, timestamp::Timestamp};
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

/// The rest of an address that works until its lifetime is over: signature, time, and what the address is of.
pub fn temporary(key: [u8; 32], lifetime: TimeDelta, of: &str, now: Timestamp) -> String {
    let signed = format!("{}/{of}", now.plus(lifetime).to_utc().timestamp());
    format!("{}/{signed}", sign(key, &signed))
}

/// What the rest of a temporary address is of. `None`: the signature is not of this key, or has expired.
pub fn verify_temporary(key: [u8; 32], rest: &str, now: Timestamp) -> Option<&str> {
    let (signature, signed) = rest.split_once('/')?;
    let (expires, of) = signed.split_once('/')?;
    let expires: i64 = expires.parse().ok()?;
    (verify(key, signed, signature) && expires > now.to_utc().timestamp()).then_some(of)
}
