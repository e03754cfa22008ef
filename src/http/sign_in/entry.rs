//! The page of somebody who is not signed in: it leads to the provider of an organization, and proves whose an account is.

use openapi::error::ApiError;
use poem::{Request, Response, http::StatusCode};

use super::{
    Form, SignIn,
    html::{Field, Page},
    see_other, value,
};
use crate::areas::organizations::sign_in::{self, Failure, ways_in};

/// The page to which the form of a stranger goes.
pub const SIGN_IN: &str = "/account/sign-in";

/// The page to which the form goes by which a person proves that an account is theirs.
const PROVE: &str = "/saml/prove";

const WHO: Field<'static> = Field {
    label: "Email address, or hostname of the organization",
    name: "who",
    attributes: "required maxlength=\"320\" autocomplete=\"email\" autocapitalize=\"none\" spellcheck=\"false\"",
};

const TOKEN: Field<'static> = Field {
    label: "Token",
    name: "account-token",
    attributes: "type=\"password\" required maxlength=\"200\" autocomplete=\"off\"",
};

impl SignIn {
    pub(super) fn stranger(&self) -> Response {
        let mut page = self.page("You are not signed in");
        page.paragraph("Sign in at the identity provider of your organization.");
        self.ask_who(&mut page);
        page.response(StatusCode::UNAUTHORIZED)
    }

    /// Answers the form of a stranger. Whoever is not known gets the same answer, whatever is not known of them.
    pub(super) async fn show_ways_in(&self, form: &Form) -> Result<Response, ApiError> {
        let ways = ways_in::find(&self.app, value(form, "who").unwrap_or_default()).await?;
        let mut page = self.page("Sign in");
        if ways.is_empty() {
            page.paragraph(
                "No identity provider is known for that. Check what you have typed, or ask an admin of your organization.",
            );
        }
        for way in ways {
            page.link(&way.start_url, &format!("Continue with {}", way.label));
        }
        self.ask_who(&mut page);
        Ok(page.response(StatusCode::OK))
    }

    fn ask_who(&self, page: &mut Page) {
        page.form(&self.url(SIGN_IN), &[], &[WHO], "Continue");
    }

    /// The page on which a person proves that the account with their address is theirs.
    pub(super) fn ask_for_proof(&self, code: &str, failed: bool) -> Response {
        let mut page = self.page("Is this account yours?");
        if failed {
            page.alert("That is not a token of the account.");
        }
        page.paragraph(
            "There is an account with your email address, which does not belong to the organization yet. Enter a token of \
             that account, once: it shows that the account is yours, and the account becomes a member.",
        );
        page.form(&self.url(PROVE), &[("code", code)], &[TOKEN], "Join with this account");
        page.paragraph("Without a token, join the organization with that account: ask an admin for an invitation.");
        page.response(if failed { StatusCode::FORBIDDEN } else { StatusCode::OK })
    }

    pub(super) async fn prove(&self, form: &Form, request: &Request) -> Result<Response, ApiError> {
        let code = value(form, "code").unwrap_or_default();
        let token = value(form, TOKEN.name).unwrap_or_default().trim();
        let Some(browser) = self.cookies.browser(request) else {
            return self.failed(Failure::Expired);
        };
        match sign_in::prove(&self.app, code, browser, token).await {
            Ok(Some((session, to))) => self.signed_in(&session, &to),
            Ok(None) => Ok(self.ask_for_proof(code, true)),
            Err(failure) => self.failed(failure),
        }
    }

    pub(super) fn signed_in(&self, session: &str, to: &str) -> Result<Response, ApiError> {
        let mut response = see_other(&self.url(to))?;
        self.cookies.set_session(&mut response, session)?;
        self.cookies.forget_browser(&mut response)?;
        Ok(response)
    }
}
