//! The signed token about a visitor that a ping returns: a JSON Web Token (RFC 7519), signed with HS256.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use openapi::error::ApiError;
use platform::secrets::signature;
use serde::Serialize;

use crate::{
    access::OrganizationAccess,
    kernel::{Kernel, wire::ToWire},
};

const VALID_FOR_SECONDS: i64 = 60 * 60;

const HEADER: &str = r#"{"typ":"JWT","alg":"HS256"}"#;

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    /// The user.
    sub: String,
    organization: String,
    /// Null for a guest.
    role: Option<openapi::models::MemberRole>,
    iat: i64,
    exp: i64,
}

pub fn sign(kernel: &Kernel, access: &OrganizationAccess) -> Result<String, ApiError> {
    let now = kernel.clock.now().as_millis() / 1000;
    let claims = Claims {
        iss: kernel.urls.base(),
        sub: access.caller.user_id.to_string(),
        organization: access.organization.to_string(),
        role: access.role.map(ToWire::to_wire),
        iat: now,
        exp: now + VALID_FOR_SECONDS,
    };
    let claims = serde_json::to_vec(&claims).map_err(ApiError::internal)?;
    let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(HEADER), URL_SAFE_NO_PAD.encode(claims));
    let signature = signature(kernel.secrets.derive("visitor-claims"), &signed);
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}
