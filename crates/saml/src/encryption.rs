//! Encrypted assertions (XML Encryption), as far as SAML uses them: one key, for this service alone, that is encrypted by
//! RSA-OAEP and encrypts by AES.
//!
//! AES-GCM authenticates the ciphertext. AES-CBC does not: an attacker who sends changed ciphertexts, and learns which of them decrypt,
//! reads the plaintext (padding oracle). So AES-CBC is accepted only in a signed response, after its signature was verified. RSA with
//! the padding of PKCS #1 v1.5 has the same fault and is never accepted.

use std::fmt;

use aws_lc_rs::{
    aead::{self, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    cipher::{self, DecryptionContext, PaddedBlockDecryptingKey, UnboundCipherKey},
    iv::FixedLength,
    rsa::{
        OAEP_SHA1_MGF1SHA1, OAEP_SHA256_MGF1SHA256, OAEP_SHA384_MGF1SHA384, OAEP_SHA512_MGF1SHA512, OaepAlgorithm,
        OaepPrivateDecryptingKey, PrivateDecryptingKey,
    },
};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, KeyUsagePurpose, PKCS_RSA_SHA256, RsaKeySize};
use roxmltree::Node;
use time::OffsetDateTime;

use crate::{
    Refusal,
    xml::{self, SIGNATURE, only_child},
};

const ENCRYPTION: &str = "http://www.w3.org/2001/04/xmlenc#";
const SHA1: &str = "http://www.w3.org/2000/09/xmldsig#sha1";

/// Algorithms that the metadata offer to identity providers, the best first.
pub const METHODS: [&str; 3] = [
    "http://www.w3.org/2009/xmlenc11#aes256-gcm",
    "http://www.w3.org/2009/xmlenc11#aes128-gcm",
    "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
];

/// Identity providers trust the key itself, and do not expect new certificates.
const CERTIFICATE_LIFETIME: TimeDelta = TimeDelta::days(20 * 365);

/// Bytes of the initialization vector before the ciphertext of AES-CBC.
const BLOCK: usize = 16;

/// The private key to which identity providers encrypt.
pub struct EncryptionKey(OaepPrivateDecryptingKey);

/// A key that is to be stored.
pub struct NewEncryptionKey {
    /// The private key in PKCS #8, a secret.
    pub private: Vec<u8>,
    /// The certificate with the public key, in base64 of DER.
    pub certificate: String,
}

/// A key that cannot be made or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyError(String);

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the key of a service: {}", self.0)
    }
}

impl std::error::Error for KeyError {}

impl NewEncryptionKey {
    /// Makes an RSA key of 3072 bits, with a certificate that it signs itself. Takes up to some seconds.
    pub fn generate(name: &str, now: DateTime<Utc>) -> Result<Self, KeyError> {
        let failed = |error: rcgen::Error| KeyError(error.to_string());
        let key = KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_3072).map_err(failed)?;
        let time = |time: DateTime<Utc>| {
            OffsetDateTime::from_unix_timestamp(time.timestamp()).map_err(|error| KeyError(error.to_string()))
        };
        let mut subject = DistinguishedName::new();
        subject.push(DnType::CommonName, name);
        let mut params = CertificateParams::default();
        // Clocks differ.
        params.not_before = time(now - TimeDelta::days(1))?;
        params.not_after = time(now + CERTIFICATE_LIFETIME)?;
        params.distinguished_name = subject;
        params.key_usages = vec![KeyUsagePurpose::KeyEncipherment];
        let certificate = params.self_signed(&key).map_err(failed)?;
        Ok(Self {
            private: key.serialize_der(),
            certificate: STANDARD.encode(certificate.der()),
        })
    }
}

impl EncryptionKey {
    /// Reads a stored key.
    pub fn read(private: &[u8]) -> Result<Self, KeyError> {
        let unreadable = || KeyError("it cannot be read".to_owned());
        let key = PrivateDecryptingKey::from_pkcs8(private).map_err(|_| unreadable())?;
        OaepPrivateDecryptingKey::new(key).map(Self).map_err(|_| unreadable())
    }

    /// Decrypts an element, whose content is one assertion. `is_signed`: a signature around the element was verified.
    pub(crate) fn decrypt(&self, encrypted: Node<'_, '_>, is_signed: bool) -> Result<String, Refusal> {
        let data = part(encrypted, "EncryptedData")?;
        let mut keys = encrypted
            .descendants()
            .filter(|node| xml::is(*node, ENCRYPTION, "EncryptedKey"));
        let (Some(key), None) = (keys.next(), keys.next()) else {
            return Err(wrong("it needs one EncryptedKey"));
        };
        let content = Content::of(algorithm(part(data, "EncryptionMethod")?)?)?;
        if content.is_malleable() && !is_signed {
            return Err(wrong("AES-CBC is accepted only in a signed response"));
        }
        let key = self.decrypt_key(key)?;
        let text = content.decrypt(&key, value(data)?)?;
        String::from_utf8(text).map_err(|_| undecryptable())
    }

    fn decrypt_key(&self, encrypted: Node<'_, '_>) -> Result<Vec<u8>, Refusal> {
        let method = padding(part(encrypted, "EncryptionMethod")?)?;
        let mut key = vec![0; self.0.min_output_size()];
        let found = self.0.decrypt(method, &value(encrypted)?, &mut key, None);
        let length = found.map_err(|_| undecryptable())?.len();
        key.truncate(length);
        Ok(key)
    }
}

/// The algorithm that encrypts an assertion.
#[derive(Clone, Copy)]
enum Content {
    Gcm(&'static aead::Algorithm),
    Cbc(&'static cipher::Algorithm),
}

impl Content {
    fn of(uri: &str) -> Result<Self, Refusal> {
        match uri {
            "http://www.w3.org/2009/xmlenc11#aes128-gcm" => Ok(Self::Gcm(&aead::AES_128_GCM)),
            "http://www.w3.org/2009/xmlenc11#aes192-gcm" => Ok(Self::Gcm(&aead::AES_192_GCM)),
            "http://www.w3.org/2009/xmlenc11#aes256-gcm" => Ok(Self::Gcm(&aead::AES_256_GCM)),
            "http://www.w3.org/2001/04/xmlenc#aes128-cbc" => Ok(Self::Cbc(&cipher::AES_128)),
            "http://www.w3.org/2001/04/xmlenc#aes192-cbc" => Ok(Self::Cbc(&cipher::AES_192)),
            "http://www.w3.org/2001/04/xmlenc#aes256-cbc" => Ok(Self::Cbc(&cipher::AES_256)),
            other => Err(Refusal::Algorithm(other.to_owned())),
        }
    }

    /// Returns whether a changed text may decrypt to something else.
    fn is_malleable(self) -> bool {
        matches!(self, Self::Cbc(_))
    }

    fn decrypt(self, key: &[u8], mut bytes: Vec<u8>) -> Result<Vec<u8>, Refusal> {
        match self {
            Self::Gcm(algorithm) => {
                let key = UnboundKey::new(algorithm, key).map_err(|_| undecryptable())?;
                let (nonce, sealed) = bytes.split_at_mut_checked(NONCE_LEN).ok_or_else(undecryptable)?;
                let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| undecryptable())?;
                let opened = LessSafeKey::new(key).open_in_place(nonce, Aad::empty(), sealed);
                Ok(opened.map_err(|_| undecryptable())?.to_vec())
            }
            Self::Cbc(algorithm) => {
                let key = UnboundCipherKey::new(algorithm, key).map_err(|_| undecryptable())?;
                let key = PaddedBlockDecryptingKey::cbc_iso10126(key).map_err(|_| undecryptable())?;
                let (first, rest) = bytes.split_first_chunk_mut::<BLOCK>().ok_or_else(undecryptable)?;
                let context = DecryptionContext::Iv128(FixedLength::from(*first));
                let text = key.decrypt(rest, context).map_err(|_| undecryptable())?;
                Ok(text.to_vec())
            }
        }
    }
}

/// The padding of the encrypted key. The two hash functions have to be the same.
fn padding(method: Node<'_, '_>) -> Result<&'static OaepAlgorithm, Refusal> {
    if only_child(method, ENCRYPTION, "OAEPparams").is_some() {
        return Err(wrong("OAEPparams are not supported"));
    }
    let named = |namespace, name| {
        let child = only_child(method, namespace, name);
        child.map(algorithm).transpose()
    };
    let digest = named(SIGNATURE, "DigestMethod")?.unwrap_or(SHA1);
    let mask = match algorithm(method)? {
        "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p" => "http://www.w3.org/2009/xmlenc11#mgf1sha1",
        "http://www.w3.org/2009/xmlenc11#rsa-oaep" => {
            named("http://www.w3.org/2009/xmlenc11#", "MGF")?.unwrap_or("http://www.w3.org/2009/xmlenc11#mgf1sha1")
        }
        other => return Err(Refusal::Algorithm(other.to_owned())),
    };
    match (digest, mask.rsplit('#').next()) {
        (SHA1, Some("mgf1sha1")) => Ok(&OAEP_SHA1_MGF1SHA1),
        ("http://www.w3.org/2001/04/xmlenc#sha256", Some("mgf1sha256")) => Ok(&OAEP_SHA256_MGF1SHA256),
        ("http://www.w3.org/2001/04/xmldsig-more#sha384", Some("mgf1sha384")) => Ok(&OAEP_SHA384_MGF1SHA384),
        ("http://www.w3.org/2001/04/xmlenc#sha512", Some("mgf1sha512")) => Ok(&OAEP_SHA512_MGF1SHA512),
        _ => Err(Refusal::Algorithm(format!("{digest} with {mask}"))),
    }
}

fn part<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> Result<Node<'a, 'i>, Refusal> {
    only_child(node, ENCRYPTION, name).ok_or_else(|| wrong(format!("it needs one {name}")))
}

fn algorithm<'a>(node: Node<'a, '_>) -> Result<&'a str, Refusal> {
    xml::algorithm(node).map_err(wrong)
}

fn value(node: Node<'_, '_>) -> Result<Vec<u8>, Refusal> {
    xml::base64(part(part(node, "CipherData")?, "CipherValue")?).map_err(wrong)
}

fn wrong(what: impl Into<String>) -> Refusal {
    Refusal::Encryption(what.into())
}

/// One for all that can be wrong with the bytes: nobody learns at which step it was.
fn undecryptable() -> Refusal {
    wrong("it cannot be decrypted with the key of the service")
}
