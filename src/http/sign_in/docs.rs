//! The session on the documentation page: people who have signed in try operations out without pasting a token. Cookies
//! authorize no operation; the page gets a token of the session.

use openapi::error::ApiError;
use poem::{Request, Response};
use serde::Serialize;

use super::SignIn;

use crate::areas::organizations::sign_in::{sessions, ways_in};

/// The path that the documentation page asks.
pub const TOKEN: &str = "docs-token";

/// The answer for the page. Without a token nobody is signed in.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct DocsSession {
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// Milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// `true`: there is a provider to sign in at.
    can_sign_in: bool,
}

impl SignIn {
    /// Answers what the page needs to know of the session. Other origins can neither send the cookie along, nor read the answer.
    pub(super) async fn docs_token(&self, request: &Request) -> Result<Response, ApiError> {
        let answer = match self.docs_session(request).await? {
            Some(answer) => answer,
            None => DocsSession {
                can_sign_in: ways_in::exist(&self.app.kernel).await?,
                ..DocsSession::default()
            },
        };
        Ok(Response::builder()
            .content_type("application/json")
            .body(serde_json::to_vec(&answer)?))
    }

    async fn docs_session(&self, request: &Request) -> Result<Option<DocsSession>, ApiError> {
        let Some(session) = self.session(request).await? else {
            return Ok(None);
        };
        let token = sessions::token(&self.app.organizations, &session.row).await?;
        Ok(token.map(|token| DocsSession {
            token: Some(token.secret),
            expires_at: Some(token.expires_at.to_utc().timestamp_millis()),
            email: Some(session.user.email),
            can_sign_in: true,
        }))
    }
}
