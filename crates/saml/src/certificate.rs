//! Certificates of identity providers, which are trusted as they are: what counts is the key in them.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use rsa::{RsaPublicKey, pkcs8::DecodePublicKey};
use x509_cert::{
    Certificate as X509,
    der::{Decode, Encode, asn1::ObjectIdentifier},
    spki::SubjectPublicKeyInfoOwned,
};

/// Certificates of one provider: an old and a new one while the provider changes its key.
pub(crate) const MAX_CERTIFICATES: usize = 4;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";
const LINE: usize = 64;

const MIN_RSA_BITS: usize = 2048;
const MAX_RSA_BITS: usize = 4096;

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const ELLIPTIC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");

/// A certificate with a key that is strong enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    der: Vec<u8>,
    key: Key,
    valid_from: u64,
    valid_until: u64,
}

/// A public key with its form as `SubjectPublicKeyInfo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Rsa(Vec<u8>),
    P256(Vec<u8>),
    P384(Vec<u8>),
}

/// Why a certificate is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertificateError {
    /// Neither PEM nor base64.
    Encoding,
    TooMany,
    NotX509,
    Expired(String),
    NotYetValid(String),
    WeakKey(String),
    KeyType,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encoding => f.write_str("is neither PEM nor base64 of a certificate"),
            Self::TooMany => write!(f, "has more than {MAX_CERTIFICATES} certificates"),
            Self::NotX509 => f.write_str("is not an X.509 certificate"),
            Self::Expired(at) => write!(f, "expired at {at}"),
            Self::NotYetValid(from) => write!(f, "is not valid before {from}"),
            Self::WeakKey(key) => write!(
                f,
                "has a key of {key}; keys are RSA with {MIN_RSA_BITS} to {MAX_RSA_BITS} bits, or on the curves P-256 and P-384"
            ),
            Self::KeyType => f.write_str("has a key that is neither RSA nor on an elliptic curve"),
        }
    }
}

impl std::error::Error for CertificateError {}

impl Certificate {
    fn from_der(der: Vec<u8>) -> Result<Self, CertificateError> {
        let parsed = X509::from_der(&der).map_err(|_| CertificateError::NotX509)?;
        let validity = parsed.tbs_certificate.validity;
        Ok(Self {
            key: key(&parsed.tbs_certificate.subject_public_key_info)?,
            valid_from: validity.not_before.to_unix_duration().as_secs(),
            valid_until: validity.not_after.to_unix_duration().as_secs(),
            der,
        })
    }

    /// Refuses a certificate outside of its time. Checked when a provider is written, not at each sign-in: the certificate
    /// only carries a key, which stays trusted until an admin replaces the key.
    pub fn check_time(&self, now: DateTime<Utc>) -> Result<(), CertificateError> {
        let now = u64::try_from(now.timestamp()).unwrap_or_default();
        if now > self.valid_until {
            return Err(CertificateError::Expired(time(self.valid_until)));
        }
        if now < self.valid_from {
            return Err(CertificateError::NotYetValid(time(self.valid_from)));
        }
        Ok(())
    }

    pub(crate) fn key(&self) -> &Key {
        &self.key
    }
}

fn time(seconds: u64) -> String {
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.map_or_else(|| seconds.to_string(), |time| time.to_rfc3339())
}

fn key(info: &SubjectPublicKeyInfoOwned) -> Result<Key, CertificateError> {
    let der = info.to_der().map_err(|_| CertificateError::NotX509)?;
    if info.algorithm.oid == RSA {
        let bits = rsa_bits(info)?;
        if !(MIN_RSA_BITS..=MAX_RSA_BITS).contains(&bits) {
            return Err(CertificateError::WeakKey(format!("RSA with {bits} bits")));
        }
        RsaPublicKey::from_public_key_der(&der).map_err(|_| CertificateError::KeyType)?;
        return Ok(Key::Rsa(der));
    }
    if info.algorithm.oid != ELLIPTIC {
        return Err(CertificateError::KeyType);
    }
    let curve = info.algorithm.parameters.as_ref();
    match curve.and_then(|curve| curve.decode_as::<ObjectIdentifier>().ok()) {
        Some(P256) if p256::PublicKey::from_public_key_der(&der).is_ok() => Ok(Key::P256(der)),
        Some(P384) if p384::PublicKey::from_public_key_der(&der).is_ok() => Ok(Key::P384(der)),
        Some(P256 | P384) | None => Err(CertificateError::KeyType),
        Some(other) => Err(CertificateError::WeakKey(format!("the elliptic curve {other}"))),
    }
}

/// The length of the modulus, also if the key is longer or shorter than the keys that can be used.
fn rsa_bits(info: &SubjectPublicKeyInfoOwned) -> Result<usize, CertificateError> {
    let bytes = info.subject_public_key.as_bytes().ok_or(CertificateError::KeyType)?;
    let key = rsa::pkcs1::RsaPublicKey::from_der(bytes).map_err(|_| CertificateError::KeyType)?;
    let modulus = key.modulus.as_bytes();
    let leading = modulus.first().map_or(0, |byte| byte.leading_zeros() as usize);
    Ok((modulus.len() * 8).saturating_sub(leading))
}

/// Parses certificates in PEM, one after the other, or a single one as base64 of its DER form.
pub fn parse_certificates(text: &str) -> Result<Vec<Certificate>, CertificateError> {
    if !text.contains(BEGIN) {
        return Ok(vec![decode(text)?]);
    }
    let mut certificates = Vec::new();
    let mut blocks = text.split(BEGIN);
    if blocks.next().is_some_and(|before| !before.trim().is_empty()) {
        return Err(CertificateError::Encoding);
    }
    for block in blocks {
        if certificates.len() == MAX_CERTIFICATES {
            return Err(CertificateError::TooMany);
        }
        let (body, after) = block.split_once(END).ok_or(CertificateError::Encoding)?;
        if !after.trim().is_empty() {
            return Err(CertificateError::Encoding);
        }
        certificates.push(decode(body)?);
    }
    Ok(certificates)
}

fn decode(base64: &str) -> Result<Certificate, CertificateError> {
    let dense: String = base64.split_ascii_whitespace().collect();
    let der = STANDARD.decode(dense).map_err(|_| CertificateError::Encoding)?;
    if der.is_empty() {
        return Err(CertificateError::Encoding);
    }
    Certificate::from_der(der)
}

/// Writes certificates in PEM, which [`parse_certificates`] reads.
pub fn to_pem(certificates: &[Certificate]) -> String {
    let mut pem = String::new();
    for certificate in certificates {
        let mut rest = STANDARD.encode(&certificate.der);
        pem.push_str(BEGIN);
        while !rest.is_empty() {
            let tail = rest.split_off(rest.len().min(LINE));
            pem.push('\n');
            pem.push_str(&rest);
            rest = tail;
        }
        pem.push('\n');
        pem.push_str(END);
        pem.push('\n');
    }
    pem
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = include_str!("../test-keys/first.crt");
    const SECOND: &str = include_str!("../test-keys/second.crt");

    fn refusal(text: &str) -> CertificateError {
        parse_certificates(text).unwrap_err()
    }

    #[test]
    fn certificates_are_read_in_any_usual_form() {
        let pem = parse_certificates(FIRST).unwrap();
        assert_eq!(to_pem(&pem), FIRST);
        let bare: String = FIRST.lines().filter(|line| !line.starts_with('-')).collect();
        assert_eq!(parse_certificates(&bare).unwrap(), pem);
        let windows = FIRST.replace('\n', "\r\n");
        assert_eq!(parse_certificates(&windows).unwrap(), pem);
        let both = format!("{FIRST}\n{SECOND}");
        assert_eq!(parse_certificates(&both).unwrap().len(), 2);
        parse_certificates(include_str!("../test-keys/elliptic.crt")).unwrap();
    }

    #[test]
    fn each_rule_has_its_error() {
        assert_eq!(refusal(""), CertificateError::Encoding);
        assert_eq!(refusal("not a certificate"), CertificateError::Encoding);
        assert_eq!(refusal(&format!("{BEGIN}\nAAAA\n")), CertificateError::Encoding);
        assert_eq!(refusal(&format!("junk {FIRST}")), CertificateError::Encoding);
        assert_eq!(refusal(&format!("{FIRST} junk")), CertificateError::Encoding);
        assert_eq!(refusal("AAAA"), CertificateError::NotX509);
        assert_eq!(refusal(&FIRST.repeat(5)), CertificateError::TooMany);
        let weak = refusal(include_str!("../test-keys/weak.crt"));
        assert_eq!(weak, CertificateError::WeakKey("RSA with 1024 bits".to_owned()));
        let small = refusal(include_str!("../test-keys/small.crt"));
        assert!(matches!(small, CertificateError::WeakKey(_)), "{small}");
        assert_eq!(
            refusal(include_str!("../test-keys/edwards.crt")),
            CertificateError::KeyType
        );
    }

    #[test]
    fn a_certificate_has_its_time() {
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let check = |text: &str| parse_certificates(text).unwrap()[0].check_time(now);
        assert_eq!(check(FIRST), Ok(()));
        let expired = check(include_str!("../test-keys/expired.crt"));
        assert_eq!(
            expired,
            Err(CertificateError::Expired("2021-01-01T00:00:00+00:00".to_owned()))
        );
        let future = check(include_str!("../test-keys/future.crt"));
        assert!(matches!(future, Err(CertificateError::NotYetValid(_))), "{future:?}");
    }
}
