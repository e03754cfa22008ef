//! The values that a service requires in a response.

use chrono::{DateTime, Utc};

use crate::{Certificate, EncryptionKey};

/// What a response has to be.
pub struct Expected<'a> {
    /// The entity id of the identity provider.
    pub identity_provider: &'a str,
    pub certificates: &'a [Certificate],
    /// The key to which assertions may be encrypted.
    pub key: Option<&'a EncryptionKey>,
    pub acs_url: &'a str,
    /// The entity id of the service.
    pub audience: &'a str,
    /// The id of the request that the response answers. `None`: the response answers no request.
    pub request: Option<&'a str>,
    pub now: DateTime<Utc>,
}
