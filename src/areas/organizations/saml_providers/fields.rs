//! The members of a provider that only the handler can check.

use entity::timestamp::Timestamp;
use openapi::error::{ApiError, ErrorRule};
use saml::{parse_certificates, to_pem};

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

pub fn unknown_team() -> ApiError {
    ApiError::invalid_member(
        "/body/defaultTeam",
        ErrorRule::UnknownTeam,
        "`defaultTeam` is not a team of the organization.",
    )
}
