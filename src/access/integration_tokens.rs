//! Tokens of integrations and of their installations. No token is stored: the server signs whom a token names and when it expires, and
//! each request looks up what has become of the integration and the installation.

use std::str::FromStr;

use chrono::TimeDelta;
use data_encoding::BASE64URL_NOPAD;
use entity::{
    ids::{IntegrationId, IntegrationInstallationId},
    timestamp::Timestamp,
};
use platform::secrets::{Secrets, signature};
use subtle::ConstantTimeEq;

/// The prefix of every token of an integration or an installation.
const PREFIX: &str = "bni_";

/// The lifetime of a token.
const LIFETIME: TimeDelta = TimeDelta::hours(1);

/// The kinds of subjects in tokens.
const INTEGRATION: &str = "integration";
const INSTALLATION: &str = "installation";

/// Whom a token names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenSubject {
    Integration(IntegrationId),
    Installation(IntegrationInstallationId),
}

/// Signs and reads the tokens.
pub struct IntegrationTokens([u8; 32]);

impl IntegrationTokens {
    pub fn new(secrets: &Secrets) -> Self {
        Self(secrets.derive("integration-tokens"))
    }

    /// Returns whether a text claims to be such a token.
    pub fn is_token(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// A token that is valid for an hour.
    pub fn sign(&self, subject: TokenSubject, now: Timestamp) -> String {
        let expires = now.plus(LIFETIME).as_millis();
        let claims = match subject {
            TokenSubject::Integration(id) => format!("{INTEGRATION}-{id}-{expires}"),
            TokenSubject::Installation(id) => format!("{INSTALLATION}-{id}-{expires}"),
        };
        let signed = BASE64URL_NOPAD.encode(&signature(self.0, &claims));
        format!("{PREFIX}{claims}.{signed}")
    }

    /// Whom a token names. `None`: the server has not signed it, or it has expired.
    pub fn read(&self, token: &str, now: Timestamp) -> Option<TokenSubject> {
        let (claims, signed) = token.strip_prefix(PREFIX)?.split_once('.')?;
        let signed = BASE64URL_NOPAD.decode(signed.as_bytes()).ok()?;
        if !bool::from(signature(self.0, claims).as_slice().ct_eq(signed.as_slice())) {
            return None;
        }
        let (kind, rest) = claims.split_once('-')?;
        let (id, expires) = rest.split_once('-')?;
        let expires = Timestamp::from_millis(expires.parse().ok()?);
        if expires <= now {
            return None;
        }
        match kind {
            INTEGRATION => IntegrationId::from_str(id).ok().map(TokenSubject::Integration),
            INSTALLATION => IntegrationInstallationId::from_str(id)
                .ok()
                .map(TokenSubject::Installation),
            _ => None,
        }
    }
}
