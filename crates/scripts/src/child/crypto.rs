//! Cryptography of scripts.

use aws_lc_rs::{
    aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    digest, hmac,
    rand::{SystemRandom, fill},
    signature::{RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RsaEncoding, RsaKeyPair},
};

/// Random bytes. `None`: the system has none.
pub fn random(count: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; count];
    fill(&mut bytes).ok()?;
    Some(bytes)
}

/// A random UUID, version 4.
pub fn random_uuid() -> Option<String> {
    let bytes: [u8; 16] = random(16)?.try_into().ok()?;
    let value = u128::from_be_bytes(bytes) & !(0xf000 << 64) & !(0xc000 << 48) | (0x4000 << 64) | (0x8000 << 48);
    let hex = format!("{value:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| hex.get(range).unwrap_or_default());
    Some(parts.join("-"))
}

pub fn hash(name: &str, data: &[u8]) -> Option<Vec<u8>> {
    let algorithm = match name {
        "SHA-1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "SHA-256" => &digest::SHA256,
        "SHA-384" => &digest::SHA384,
        "SHA-512" => &digest::SHA512,
        _ => return None,
    };
    Some(digest::digest(algorithm, data).as_ref().to_vec())
}

fn hmac_key(hash: &str, key: &[u8]) -> Option<hmac::Key> {
    let algorithm = match hash {
        "SHA-1" => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        "SHA-256" => hmac::HMAC_SHA256,
        "SHA-384" => hmac::HMAC_SHA384,
        "SHA-512" => hmac::HMAC_SHA512,
        _ => return None,
    };
    Some(hmac::Key::new(algorithm, key))
}

pub fn hmac(hash: &str, key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    Some(hmac::sign(&hmac_key(hash, key)?, data).as_ref().to_vec())
}

/// Returns whether the signature is right, in constant time.
pub fn hmac_verify(hash: &str, key: &[u8], data: &[u8], signature: &[u8]) -> bool {
    hmac_key(hash, key).is_some_and(|key| hmac::verify(&key, data, signature).is_ok())
}

fn aes_key(key: &[u8]) -> Option<LessSafeKey> {
    let algorithm = match key.len() {
        16 => &AES_128_GCM,
        32 => &AES_256_GCM,
        _ => return None,
    };
    Some(LessSafeKey::new(UnboundKey::new(algorithm, key).ok()?))
}

/// The encrypted data with the tag after it.
pub fn encrypt(key: &[u8], iv: &[u8], additional: &[u8], mut data: Vec<u8>) -> Option<Vec<u8>> {
    let nonce = Nonce::try_assume_unique_for_key(iv).ok()?;
    let key = aes_key(key)?;
    key.seal_in_place_append_tag(nonce, Aad::from(additional), &mut data)
        .ok()?;
    Some(data)
}

/// `None`: the key or the tag is wrong.
pub fn decrypt(key: &[u8], iv: &[u8], additional: &[u8], mut data: Vec<u8>) -> Option<Vec<u8>> {
    let nonce = Nonce::try_assume_unique_for_key(iv).ok()?;
    let key = aes_key(key)?;
    let plain = key.open_in_place(nonce, Aad::from(additional), &mut data).ok()?;
    Some(plain.to_vec())
}

/// Bits of the modulus of a private key as PKCS #8.
pub fn rsa_modulus_length(pkcs8: &[u8]) -> Option<usize> {
    Some(RsaKeyPair::from_pkcs8(pkcs8).ok()?.public_modulus_len() * 8)
}

pub fn rsa_sign(hash: &str, pkcs8: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let encoding: &'static dyn RsaEncoding = match hash {
        "SHA-256" => &RSA_PKCS1_SHA256,
        "SHA-384" => &RSA_PKCS1_SHA384,
        "SHA-512" => &RSA_PKCS1_SHA512,
        _ => return None,
    };
    let key = RsaKeyPair::from_pkcs8(pkcs8).ok()?;
    let mut signature = vec![0; key.public_modulus_len()];
    key.sign(encoding, &SystemRandom::new(), data, &mut signature).ok()?;
    Some(signature)
}
