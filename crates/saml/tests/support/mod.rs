//! What the tests of responses share.

#![expect(clippy::unwrap_used, reason = "a test stops at what is unexpected")]

use chrono::{DateTime, Utc};
use saml::{
    Assertion, Certificate, EncryptionKey, Expected, Refusal, Response, parse_certificates,
    testing::{self, Answer, FIRST, Keys},
};

pub const ISSUER: &str = "https://idp.tidewater.example/metadata";
pub const ACS: &str = "https://docs.example/saml/x/acs";
pub const AUDIENCE: &str = "https://docs.example/saml/x/metadata";
pub const REQUEST: &str = "_request";

pub fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

/// A good answer to the request.
pub fn answer() -> Answer {
    Answer::new(ISSUER, ACS, AUDIENCE, Some(REQUEST), now())
}

/// A service that expects something else than usual.
pub struct Verifier {
    pub certificates: Vec<Certificate>,
    pub request: Option<&'static str>,
    pub key: Option<EncryptionKey>,
}

impl Verifier {
    pub fn new(keys: &[Keys]) -> Self {
        let certificates = keys
            .iter()
            .flat_map(|keys| parse_certificates(keys.certificate).unwrap());
        Self {
            certificates: certificates.collect(),
            request: Some(REQUEST),
            key: None,
        }
    }

    pub fn verify(&self, text: &str) -> Result<Assertion, Refusal> {
        Response::decode(&testing::encode(text))?.verify(&Expected {
            identity_provider: ISSUER,
            certificates: &self.certificates,
            key: self.key.as_ref(),
            acs_url: ACS,
            audience: AUDIENCE,
            request: self.request,
            now: now(),
        })
    }
}

/// Verifies a response as the service that trusts the first keys.
pub fn verify(text: &str) -> Result<Assertion, Refusal> {
    Verifier::new(&[FIRST]).verify(text)
}
