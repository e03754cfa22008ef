//! The members of a provider that only the handler can check.

use entity::timestamp::Timestamp;
use openapi::error::{ApiError, ErrorRule};
use saml::{IdentityProvider, parse_certificates, to_pem};

/// What metadata say.
pub struct Metadata {
    pub entity_id: String,
    pub certificate: String,
    pub sso_url: String,
}

/// The certificates in PEM. An empty text is none.
pub fn certificate(text: &str, now: Timestamp) -> Result<String, ApiError> {
    if text.trim().is_empty() {
        return Ok(String::new());
    }
    let refused = |error: saml::CertificateError| {
        ApiError::invalid_member(
            "/body/certificate",
            ErrorRule::Certificate,
            format!("`certificate` {error}."),
        )
    };
    let certificates = parse_certificates(text).map_err(refused)?;
    for certificate in &certificates {
        certificate.check_time(now.to_utc()).map_err(refused)?;
    }
    Ok(to_pem(&certificates))
}

pub fn metadata(xml: &str, now: Timestamp) -> Result<Metadata, ApiError> {
    let refused = |message: String| ApiError::invalid_member("/body/xml", ErrorRule::SamlMetadata, message);
    let provider = IdentityProvider::parse(xml).map_err(|error| refused(format!("`xml` {error}.")))?;
    let mut certificates = provider.certificates;
    // An expired certificate beside a new one is what providers publish after they have changed their key.
    certificates.retain(|certificate| certificate.check_time(now.to_utc()).is_ok());
    if certificates.is_empty() {
        return Err(refused("`xml` has no certificate that is valid now.".to_owned()));
    }
    Ok(Metadata {
        entity_id: provider.entity_id,
        certificate: to_pem(&certificates),
        sso_url: provider.sso_url.into(),
    })
}

pub fn unknown_team() -> ApiError {
    ApiError::invalid_member(
        "/body/defaultTeam",
        ErrorRule::UnknownTeam,
        "`defaultTeam` is not a team of the organization.",
    )
}
