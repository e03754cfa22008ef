//! The signed token about a visitor that a ping returns.

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use openapi::error::ApiError;
use serde::Serialize;

use crate::{access::OrganizationAccess, app::App};

const VALID_FOR_SECONDS: i64 = 60 * 60;

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

pub fn sign(app: &App, access: &OrganizationAccess) -> Result<String, ApiError> {
    let now = app.clock.now().as_millis() / 1000;
    let claims = Claims {
        iss: app.urls.base(),
        sub: access.caller.user_id.to_string(),
        organization: access.organization.to_string(),
        role: access.role.map(crate::app::wire::role),
        iat: now,
        exp: now + VALID_FOR_SECONDS,
    };
    let key = EncodingKey::from_secret(&app.secrets.derive("visitor-claims"));
    encode(&Header::new(Algorithm::HS256), &claims, &key).map_err(ApiError::internal)
}
