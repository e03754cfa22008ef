//! The page of an account: who the person is, their organizations, tokens and sessions.

use chrono::TimeDelta;
use data_encoding::HEXLOWER;
use entity::{ids::Id, timestamp::Timestamp};
use openapi::error::ApiError;
use platform::secrets::signature;
use poem::{Request, Response, http::StatusCode};
use subtle::ConstantTimeEq;

use super::{Form, STYLE, SignIn, html::Button, html::Page, see_other, value};
use crate::{
    areas::{
        identity::tokens,
        organizations::sign_in::sessions::{self, Session},
    },
    http::errors,
};

const MAX_LABEL: usize = 50;
const MAX_DAYS: i64 = 365;

impl SignIn {
    pub(super) async fn account(
        &self,
        page: Option<&str>,
        form: Option<Form>,
        request: &Request,
    ) -> Result<Response, ApiError> {
        if let (Some("style.css"), None) = (page, &form) {
            return Ok(Response::builder().content_type("text/css; charset=utf-8").body(STYLE));
        }
        let session = match self.cookies.session(request) {
            Some(secret) => sessions::find(&self.app, secret).await?,
            None => None,
        };
        let Some(session) = session else {
            return Ok(self.stranger());
        };
        match (page, form) {
            (None, None) => see_other(&self.url(super::ACCOUNT)),
            (Some(""), None) => self.overview(&session).await,
            (Some(page), Some(form)) => {
                if !self.is_own_form(&session, &form) {
                    return Ok(self.message(
                        StatusCode::FORBIDDEN,
                        "The form is not of this session. Open the page again.",
                    ));
                }
                self.change(page, &session, &form).await
            }
            _ => Err(errors::unknown_route()),
        }
    }

    fn stranger(&self) -> Response {
        let mut page = Page::new("You are not signed in", &self.url("/account/style.css"));
        page.paragraph(
            "Open the sign-in address of your organization. Its admins know the address, and members get it from the API \
             (`GET /v1/orgs/{organizationId}/sso`).",
        );
        page.response(StatusCode::UNAUTHORIZED)
    }

    async fn overview(&self, session: &Session) -> Result<Response, ApiError> {
        let (user, token) = (&session.user, self.form_token(session));
        let mut page = Page::new("Your account", &self.url("/account/style.css"));
        page.paragraph(&format!("{} · {}", user.display_name, user.email));
        page.heading("Organizations");
        let organizations = sessions::organizations(&self.app, user.id).await?;
        let rows = organizations
            .into_iter()
            .map(|row| (vec![row.title, row.id.to_string()], None));
        page.table(&["Title", "Id"], rows.collect());
        page.heading("Tokens");
        let tokens = tokens::list(&self.app, user.id).await?;
        let ids: Vec<String> = tokens.iter().map(|token| token.id.to_string()).collect();
        let revoke = self.url("/account/tokens/revoke");
        let rows = tokens.into_iter().zip(&ids).map(|(row, id)| {
            let used = row.last_used_at.map_or("never".to_owned(), date);
            let expires = row.expires_at.map_or("never".to_owned(), date);
            let label = format!("{} (…{})", row.label, row.hint);
            (
                vec![label, used, expires],
                Some(button(&revoke, &token, Some(id), "Revoke")),
            )
        });
        page.table(&["Name", "Last used", "Expires", ""], rows.collect());
        page.token_form(&self.url("/account/tokens"), &token);
        page.heading("Sessions");
        let list = sessions::list(&self.app, user.id).await?;
        let ids: Vec<String> = list.iter().map(|row| row.id.to_string()).collect();
        let end = self.url("/account/sessions/end");
        let rows = list.iter().zip(&ids).map(|(row, id)| {
            let this = if row.id == session.row.id { "this one" } else { "" };
            let cells = vec![date(row.created_at), date(row.last_seen_at), this.to_owned()];
            (cells, Some(button(&end, &token, Some(id), "End")))
        });
        page.table(&["Began", "Last used", "", ""], rows.collect());
        page.button(&button(&self.url("/account/sign-out"), &token, None, "Sign out"));
        page.button(&button(
            &self.url("/account/sign-out-everywhere"),
            &token,
            None,
            "Sign out everywhere",
        ));
        Ok(page.response(StatusCode::OK))
    }

    async fn change(&self, page: &str, session: &Session, form: &Form) -> Result<Response, ApiError> {
        let user = session.user.id;
        match page {
            "tokens" => return self.make_token(session, form).await,
            "tokens/revoke" => {
                let id = Id::parse_or_nil(value(form, "id").unwrap_or_default());
                tokens::revoke(&self.app, user, id).await?;
            }
            "sessions/end" => {
                let id = Id::parse_or_nil(value(form, "id").unwrap_or_default());
                sessions::end(&self.app, user, Some(id)).await?;
            }
            "sign-out" | "sign-out-everywhere" => {
                let only = (page == "sign-out").then_some(session.row.id);
                sessions::end(&self.app, user, only).await?;
                let mut response = see_other(&self.url(super::ACCOUNT))?;
                self.cookies.forget_session(&mut response)?;
                return Ok(response);
            }
            _ => return Err(errors::unknown_route()),
        }
        see_other(&self.url(super::ACCOUNT))
    }

    async fn make_token(&self, session: &Session, form: &Form) -> Result<Response, ApiError> {
        let label = value(form, "label").unwrap_or_default().trim();
        let days = value(form, "days")
            .and_then(|days| days.parse().ok())
            .unwrap_or_default();
        let fits = (1..=MAX_LABEL).contains(&label.chars().count()) && !label.chars().any(char::is_control);
        if !fits || !(1..=MAX_DAYS).contains(&days) {
            let text = "A token needs a name of at most 50 characters, and expires after 1 to 365 days.";
            return Ok(self.message(StatusCode::BAD_REQUEST, text));
        }
        let until = self.app.clock.now().plus(TimeDelta::days(days));
        let (user, provider) = (session.user.id, session.row.provider_id);
        let new = tokens::create_signed_in(&self.app, user, provider, label, until).await?;
        let mut page = Page::new("Your new token", &self.url("/account/style.css"));
        page.paragraph("Copy the token now. It is not shown again.");
        page.code(&new.secret);
        page.link(&self.url(super::ACCOUNT), "Back to your account");
        Ok(page.response(StatusCode::OK))
    }

    fn message(&self, status: StatusCode, text: &str) -> Response {
        let mut page = Page::new("Nothing has changed", &self.url("/account/style.css"));
        page.paragraph(text);
        page.link(&self.url(super::ACCOUNT), "Back to your account");
        page.response(status)
    }

    /// What the forms of a session carry, so that no other site can send them.
    fn form_token(&self, session: &Session) -> String {
        HEXLOWER.encode(&signature(self.form_key, &session.row.id.to_string()))
    }

    fn is_own_form(&self, session: &Session, form: &Form) -> bool {
        let given = value(form, "token").unwrap_or_default();
        self.form_token(session).as_bytes().ct_eq(given.as_bytes()).into()
    }
}

fn button<'a>(to: &'a str, token: &'a str, id: Option<&'a String>, label: &'a str) -> Button<'a> {
    Button {
        to,
        token,
        id: id.map(String::as_str),
        label,
    }
}

fn date(time: Timestamp) -> String {
    time.to_utc().format("%Y-%m-%d %H:%M UTC").to_string()
}
