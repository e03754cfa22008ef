//! The pages that ask a person something before they are signed in.

use openapi::error::ApiError;
use poem::{Request, Response, http::StatusCode};

use super::{
    Form, SignIn,
    html::{Field, Page},
    see_other, value,
};

use crate::areas::organizations::sign_in::{self, Failure, Proof, Question};

/// The pages to which the forms go.
const CONTINUE: &str = "/saml/continue";
const PROVE: &str = "/saml/prove";
const MAIL: &str = "/saml/mail";

/// How often a person was asked for a proof.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    First,
    /// What they gave was none.
    Again,
    /// A code is on its way to them.
    Mailed,
}

impl SignIn {
    /// The page on which a person says that they want to be signed in: somebody else may have led their browser here.
    pub(super) fn ask_to_continue(&self, question: &Question) -> Response {
        let Question {
            code,
            email,
            organization,
            provider,
        } = question;
        let mut page = self.page("Is this you?");
        page.paragraph(&format!("{provider} of {organization} says that you are {email}."));
        page.form(
            &self.url(CONTINUE),
            &[("code", code)],
            &[],
            &format!("Continue as {email}"),
        );
        page.link(&self.url(super::ACCOUNT), "That is not me");
        page.response(StatusCode::OK)
    }

    /// The page on which a person proves that the account with their address is theirs.
    pub(super) fn ask_for_proof(&self, question: &Question, asked: Asked) -> Response {
        let Question {
            code,
            email,
            organization,
            provider,
        } = question;
        let mut page = self.page("Is this account yours?");
        match asked {
            Asked::First => {}
            Asked::Again => {
                page.alert("That proves nothing: it is no token of the account, and no code that was mailed.")
            }
            Asked::Mailed => page.alert(&format!("A code was mailed to {email}, unless one was before.")),
        }
        page.paragraph(&format!(
            "{provider} of {organization} says that you are {email}. There is an account with that address already. Show once \
             that it is yours: from then on {provider} signs you in to it, with everything that it can do."
        ));
        let (label, button) = match asked {
            Asked::Mailed => ("Code", "Continue"),
            _ => ("Token of the account", "Continue with a token"),
        };
        self.proof_form(&mut page, code, label, button);
        if self.has_mail && asked != Asked::Mailed {
            let button = format!("Mail a code to {email}");
            page.form(&self.url(MAIL), &[("code", code)], &[], &button);
        }
        page.paragraph("If that is not your account, close this page.");
        page.response(if asked == Asked::Again {
            StatusCode::FORBIDDEN
        } else {
            StatusCode::OK
        })
    }

    fn proof_form(&self, page: &mut Page, code: &str, label: &str, button: &str) {
        let proof = Field {
            label,
            name: "proof",
            attributes: "type=\"password\" required maxlength=\"200\" autocomplete=\"off\"",
        };
        page.form(&self.url(PROVE), &[("code", code)], &[proof], button);
    }

    pub(super) async fn prove(&self, form: &Form, request: &Request) -> Result<Response, ApiError> {
        let code = value(form, "code").unwrap_or_default();
        let proof = value(form, "proof").unwrap_or_default().trim();
        let Some(browser) = self.cookies.browser(request) else {
            return self.failed(Failure::Expired);
        };
        match sign_in::prove(
            &self.app.organizations,
            code,
            browser,
            proof,
            self.cookies.session(request),
        )
        .await
        {
            Ok(Proof::Session { secret, return_to }) => self.signed_in(&secret, &return_to),
            Ok(Proof::Wrong(question)) => Ok(self.ask_for_proof(&question, Asked::Again)),
            Err(failure) => self.failed(failure),
        }
    }

    pub(super) async fn mail_code(&self, form: &Form, request: &Request) -> Result<Response, ApiError> {
        let code = value(form, "code").unwrap_or_default();
        let (Some(browser), true) = (self.cookies.browser(request), self.has_mail) else {
            return self.failed(Failure::Expired);
        };
        match sign_in::mail_code(&self.app.kernel, code, browser).await {
            Ok(question) => Ok(self.ask_for_proof(&question, Asked::Mailed)),
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
