//! The page of somebody who is not signed in: it leads to the provider of an organization.

use openapi::error::ApiError;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use poem::{Response, http::StatusCode};

use super::{
    ACCOUNT, Form, SignIn,
    html::{Field, Page},
    return_to, value,
};

use crate::areas::organizations::sign_in::ways_in;

/// The page to which the form of a stranger goes.
pub const SIGN_IN: &str = "/account/sign-in";

const WHO: Field<'static> = Field {
    label: "Email address, or hostname of the organization",
    name: "who",
    attributes: "required maxlength=\"320\" autocomplete=\"email\" autocapitalize=\"none\" spellcheck=\"false\"",
};

impl SignIn {
    /// `return_to`: the path where the person goes on.
    pub(super) fn stranger(&self, return_to: &str) -> Response {
        let mut page = self.page("You are not signed in");
        page.paragraph("Sign in at the identity provider of your organization.");
        self.ask_who(&mut page, return_to);
        page.response(StatusCode::UNAUTHORIZED)
    }

    /// Answers the form of a stranger. Whoever is not known gets the same answer, whatever is not known of them.
    pub(super) async fn show_ways_in(&self, form: &Form) -> Result<Response, ApiError> {
        let return_to = return_to(value(form, "returnTo").map(str::to_owned));
        let ways = ways_in::find(&self.app.kernel, value(form, "who").unwrap_or_default()).await?;
        let mut page = self.page("Sign in");
        if ways.is_empty() {
            page.paragraph(
                "No identity provider is known for that. Check what you have typed, or ask an admin of your organization.",
            );
        }
        for way in ways {
            let start = match return_to.as_str() {
                ACCOUNT => way.start_url,
                path => format!(
                    "{}?returnTo={}",
                    way.start_url,
                    utf8_percent_encode(path, NON_ALPHANUMERIC)
                ),
            };
            page.link(&start, &format!("Continue with {} of {}", way.label, way.organization));
        }
        self.ask_who(&mut page, &return_to);
        Ok(page.response(StatusCode::OK))
    }

    fn ask_who(&self, page: &mut Page, return_to: &str) {
        page.form(&self.url(SIGN_IN), &[("returnTo", return_to)], &[WHO], "Continue");
    }
}
