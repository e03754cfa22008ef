//! The page of an account: who the person is, their organizations, tokens and sessions.

use chrono::TimeDelta;
use data_encoding::HEXLOWER;
use entity::{
    ids::{Id, OrganizationId},
    timestamp::Timestamp,
};
use openapi::{error::ApiError, models::texts::TOKEN_LABEL};
use platform::secrets::signature;
use poem::{Request, Response, http::StatusCode};
use subtle::ConstantTimeEq;

use super::{
    Form, STYLE, SignIn, docs,
    html::{Button, Field, Page},
    own_site, query, return_to, see_other, value,
};

use crate::{
    areas::{
        identity::tokens,
        organizations::sign_in::sessions::{self, Session},
    },
    http::errors,
};

const MAX_DAYS: i64 = 365;

/// The form that makes a token.
const TOKEN: [Field<'static>; 2] = [
    Field {
        label: "Name",
        name: "label",
        attributes: "required autocomplete=\"off\"",
    },
    Field {
        label: "Days until it expires",
        name: "days",
        attributes: "type=\"number\" min=\"1\" max=\"365\" value=\"90\" required",
    },
];

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
        if let (Some(page @ ("sign-in" | docs::TOKEN)), Some(form)) = (page, &form) {
            return match (own_site(request), page) {
                // Whoever sends the form of `sign-in` chooses the provider to which its page leads.
                (Some(false), _) => Ok(self.stranger(super::ACCOUNT)),
                (_, docs::TOKEN) => self.docs_token(request).await,
                _ => self.show_ways_in(form).await,
            };
        }
        let Some(session) = self.session(request).await? else {
            return Ok(self.stranger(&return_to(query(request, "returnTo"))));
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

    pub(super) async fn session(&self, request: &Request) -> Result<Option<Session>, ApiError> {
        match self.cookies.session(request) {
            Some(secret) => sessions::find(&self.app.kernel, secret).await,
            None => Ok(None),
        }
    }

    async fn overview(&self, session: &Session) -> Result<Response, ApiError> {
        let (user, token) = (&session.user, self.form_token(session));
        let mut page = self.page("Your account");
        page.paragraph(&format!("{} · {}", user.display_name, user.email));
        page.heading("Organizations");
        let organizations = sessions::organizations(&self.app.kernel, user.id).await?;
        let member_of: Vec<OrganizationId> = organizations.iter().map(|row| row.id).collect();
        let rows = organizations
            .into_iter()
            .map(|row| (vec![row.title, row.id.to_string()], None));
        page.table(&["Title", "Id"], rows.collect(), "You belong to no organization.");
        self.joining(&mut page, user, &token, &member_of).await?;
        self.list_tokens(&mut page, session, &token).await?;
        self.list_sessions(&mut page, session, &token).await?;
        page.button(&button(&self.url("/account/sign-out"), &token, "Sign out"));
        let everywhere = self.url("/account/sign-out-everywhere");
        page.button(&button(&everywhere, &token, "Sign out everywhere"));
        let and_revoke = self.url("/account/sign-out-and-revoke");
        page.button(&button(
            &and_revoke,
            &token,
            "Sign out everywhere and revoke all tokens",
        ));
        Ok(page.response(StatusCode::OK))
    }

    async fn list_tokens(&self, page: &mut Page, session: &Session, token: &str) -> Result<(), ApiError> {
        page.heading("Tokens");
        let tokens = tokens::list(&self.app.kernel, session.user.id).await?;
        let named =
            |row: &entity::identity::tokens::Model| (row.id.to_string(), format!("{} (…{})", row.label, row.hint));
        let names: Vec<(String, String)> = tokens.iter().map(named).collect();
        let revoke = self.url("/account/tokens/revoke");
        let rows = tokens.into_iter().zip(&names).map(|(row, (id, name))| {
            let used = row.last_used_at.map_or("never".to_owned(), date);
            let expires = row.expires_at.map_or("never".to_owned(), date);
            let cells = vec![name.clone(), used, expires];
            (cells, Some(row_button(&revoke, token, id, name, "Revoke")))
        });
        let heads = ["Name", "Last used", "Expires", "Action"];
        page.table(&heads, rows.collect(), "You have no tokens.");
        page.form(
            &self.url("/account/tokens"),
            &[("token", token)],
            &TOKEN,
            "Make a token",
        );
        Ok(())
    }

    async fn list_sessions(&self, page: &mut Page, session: &Session, token: &str) -> Result<(), ApiError> {
        page.heading("Sessions");
        let list = sessions::list(&self.app.kernel, session.user.id).await?;
        let named = |(row, _): &(entity::organizations::sessions::Model, String)| {
            let this = if row.id == session.row.id { " (this one)" } else { "" };
            (row.id.to_string(), format!("{}{this}", date(row.created_at)))
        };
        let names: Vec<(String, String)> = list.iter().map(named).collect();
        let end = self.url("/account/sessions/end");
        let rows = list.into_iter().zip(&names).map(|((row, provider), (id, name))| {
            let cells = vec![name.clone(), provider, date(row.last_seen_at), date(row.expires_at)];
            (cells, Some(row_button(&end, token, id, name, "End")))
        });
        page.table(
            &["Began", "Signed in by", "Last used", "Ends", "Action"],
            rows.collect(),
            "",
        );
        Ok(())
    }

    async fn change(&self, page: &str, session: &Session, form: &Form) -> Result<Response, ApiError> {
        let user = session.user.id;
        match page {
            "tokens" => return self.make_token(session, form).await,
            "join" | "join-by-domain" => return self.join(page, &session.user, form).await,
            "tokens/revoke" => {
                let id = Id::parse_or_nil(value(form, "id").unwrap_or_default());
                tokens::revoke(&self.app.identity, user, id).await?;
            }
            "sessions/end" => {
                let id = Id::parse_or_nil(value(form, "id").unwrap_or_default());
                sessions::end(&self.app.organizations, user, Some(id)).await?;
            }
            "sign-out" | "sign-out-everywhere" | "sign-out-and-revoke" => {
                let only = (page == "sign-out").then_some(session.row.id);
                sessions::end(&self.app.organizations, user, only).await?;
                if page == "sign-out-and-revoke" {
                    tokens::revoke_all(&self.app.identity, user).await?;
                }
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
        if let Err(broken) = TOKEN_LABEL.check(label) {
            let text = format!("The name of a token {broken}.");
            return Ok(self.message(StatusCode::BAD_REQUEST, &text));
        }
        if !(1..=MAX_DAYS).contains(&days) {
            let text = "A token expires after 1 to 365 days.";
            return Ok(self.message(StatusCode::BAD_REQUEST, text));
        }
        let until = self.app.kernel.clock.now().plus(TimeDelta::days(days));
        let (user, provider) = (session.user.id, session.row.provider_id);
        let new = tokens::create_signed_in(&self.app.kernel, user, provider, label, until).await?;
        let mut page = self.page("Your new token");
        page.paragraph("Copy the token now. It is not shown again.");
        page.code(&new.secret);
        page.link(&self.url(super::ACCOUNT), "Back to your account");
        Ok(page.response(StatusCode::OK))
    }

    pub(super) fn message(&self, status: StatusCode, text: &str) -> Response {
        let mut page = self.page("Nothing has changed");
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

fn button<'a>(to: &'a str, token: &'a str, label: &'a str) -> Button<'a> {
    Button {
        to,
        token,
        id: None,
        label,
        of: None,
    }
}

/// The button of a row of a table.
pub(super) fn row_button<'a>(to: &'a str, token: &'a str, id: &'a str, of: &'a str, label: &'a str) -> Button<'a> {
    Button {
        id: Some(id),
        of: Some(of),
        ..button(to, token, label)
    }
}

fn date(time: Timestamp) -> String {
    time.to_utc().format("%Y-%m-%d %H:%M UTC").to_string()
}
