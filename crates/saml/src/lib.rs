//! SAML 2.0 for a service provider: certificates and metadata of identity providers, requests, and responses.
//!
//! A response is checked in this order: its size and form (`xml`), its structure (`response`), its signatures (`signature`),
//! and then the conditions of the assertion (`conditions`). The assertion is read from the bytes that were hashed and
//! signed, parsed again, and from nothing else: whatever surrounds them in the response cannot take their place.
//!
//! XML is parsed by `roxmltree`, canonicalized by `xml-sec`, and the cryptography is RustCrypto's. Of XML signatures, only
//! what SAML uses is understood: one reference to the signed element by its id, the enveloped-signature transform and
//! exclusive canonicalization. There are no other transforms, no keys from messages, and nothing is fetched.
//!
//! Encrypted assertions are decrypted by AWS-LC (`encryption`), because the time that the private key operation of the `rsa`
//! crate takes tells of the key (RUSTSEC-2023-0071). What comes out is parsed and verified like any other assertion.

mod certificate;
mod conditions;
mod encryption;
mod expected;
mod metadata;
mod refusal;
mod request;
mod response;
mod signature;
#[cfg(feature = "testing")]
pub mod testing;
mod xml;
mod xml_limits;

pub use certificate::{Certificate, CertificateError, parse_certificates, to_pem};
pub use conditions::{Assertion, Attribute};
pub use encryption::{EncryptionKey, KeyError, NewEncryptionKey};
pub use expected::Expected;
pub use metadata::{IdentityProvider, MAX_METADATA_BYTES, MetadataError};
pub use refusal::Refusal;
pub use request::{AuthnRequest, ServiceProvider};
pub use response::{MAX_ENCODED_BYTES, Response};
pub use xml::escape;
