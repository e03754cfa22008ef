//! Why a response is refused.

use std::fmt;

/// The reason for which a response is refused. Operators see the reason, people who sign in do not need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The response is not base64 of UTF-8.
    Encoding,
    /// The response is larger than the limits allow.
    TooLarge,
    /// The text is not XML, or has a part that is refused: a document type, entities, processing instructions.
    Xml(String),
    /// The elements are not where SAML has them.
    Structure(&'static str),
    /// The assertion is encrypted, and the service has no key.
    Encrypted,
    /// The assertion cannot be decrypted.
    Encryption(String),
    /// Two elements have the same id.
    DuplicateId,
    /// The identity provider did not let the person in.
    Status(String),
    /// No signature covers the assertion.
    Unsigned,
    /// An algorithm of a signature is refused.
    Algorithm(String),
    /// A signature is not one of the certificates of the identity provider.
    Signature(String),
    Issuer,
    Audience,
    Recipient,
    Destination,
    /// The response answers another request, or none.
    Request,
    Expired,
    NotYetValid,
    /// A condition is missing, or unknown.
    Condition(&'static str),
    Subject(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encoding => f.write_str("the response is not base64 of UTF-8"),
            Self::TooLarge => f.write_str("the response is too large"),
            Self::Xml(error) => write!(f, "the response is not acceptable XML: {error}"),
            Self::Structure(what) => write!(f, "the structure of the response is wrong: {what}"),
            Self::Encrypted => f.write_str("the assertion is encrypted, and the service has no key for that"),
            Self::Encryption(what) => write!(f, "the encryption of the assertion is wrong: {what}"),
            Self::DuplicateId => f.write_str("two elements have the same id"),
            Self::Status(code) => write!(f, "the identity provider refused the request: {code}"),
            Self::Unsigned => f.write_str("no signature covers the assertion"),
            Self::Algorithm(what) => write!(f, "an algorithm of the signature is refused: {what}"),
            Self::Signature(what) => write!(f, "the signature is wrong: {what}"),
            Self::Issuer => f.write_str("the issuer is another identity provider"),
            Self::Audience => f.write_str("the assertion is for another service provider"),
            Self::Recipient => f.write_str("the assertion is for another address"),
            Self::Destination => f.write_str("the response was sent to another address"),
            Self::Request => f.write_str("the response does not answer the request"),
            Self::Expired => f.write_str("the assertion has expired"),
            Self::NotYetValid => f.write_str("the assertion is not valid yet"),
            Self::Condition(what) => write!(f, "a condition of the assertion is wrong: {what}"),
            Self::Subject(what) => write!(f, "the subject of the assertion is wrong: {what}"),
        }
    }
}

impl std::error::Error for Refusal {}
