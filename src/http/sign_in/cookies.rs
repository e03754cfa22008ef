//! The two cookies: the session of a person, and what a browser keeps while a person signs in.

use openapi::error::ApiError;
use poem::{
    Request, Response,
    http::{HeaderValue, header},
};

use crate::{areas::organizations::sign_in::sessions, kernel::cookies::cookie};

/// Seconds for which a browser keeps what it has of a sign-in: a person has ten minutes to answer, two to come back, and ten to
/// prove that an account is theirs.
const SIGN_IN_SECONDS: i64 = 22 * 60;

/// Longer values are no secrets and are not hashed.
pub const MAX_SESSION: usize = 100;

/// A signature, and the path where the person goes on in base64.
const MAX_BROWSER: usize = 100 + super::MAX_RETURN_TO * 4 / 3;

pub struct Cookies {
    session: &'static str,
    browser: &'static str,
    secure: bool,
}

impl Cookies {
    /// Cookies of a server that is reached by TLS cannot be set by its neighbours, or by anybody on the network.
    pub fn new(secure: bool) -> Self {
        Self {
            session: if secure { "__Host-bindery" } else { "bindery" },
            browser: if secure {
                "__Host-bindery-sign-in"
            } else {
                "bindery-sign-in"
            },
            secure,
        }
    }

    pub fn session<'r>(&self, request: &'r Request) -> Option<&'r str> {
        cookie(request, self.session, MAX_SESSION)
    }

    pub fn browser<'r>(&self, request: &'r Request) -> Option<&'r str> {
        cookie(request, self.browser, MAX_BROWSER)
    }

    pub fn set_session(&self, response: &mut Response, secret: &str) -> Result<(), ApiError> {
        self.set(response, self.session, secret, sessions::LIFETIME.num_seconds())
    }

    pub fn forget_session(&self, response: &mut Response) -> Result<(), ApiError> {
        self.set(response, self.session, "", 0)
    }

    pub fn set_browser(&self, response: &mut Response, secret: &str) -> Result<(), ApiError> {
        self.set(response, self.browser, secret, SIGN_IN_SECONDS)
    }

    pub fn forget_browser(&self, response: &mut Response) -> Result<(), ApiError> {
        self.set(response, self.browser, "", 0)
    }

    fn set(&self, response: &mut Response, name: &str, value: &str, seconds: i64) -> Result<(), ApiError> {
        let secure = if self.secure { "; Secure" } else { "" };
        let cookie = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        let cookie = HeaderValue::try_from(cookie).map_err(|e| ApiError::internal(e.to_string()))?;
        response.headers_mut().append(header::SET_COOKIE, cookie);
        Ok(())
    }
}
