//! The pages by which people sign in, and the page of their account. Cookies count here and nowhere else.

mod account;
pub mod cookies;
mod docs;
mod entry;
mod html;
mod join;
mod questions;
mod visits;

use entity::ids::{SamlProviderId, SiteId};
use openapi::{error::ApiError, input::read_body};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use platform::{config::Settings, secrets::Secrets};
use poem::{
    Request, Response,
    http::{HeaderValue, Method, StatusCode, header},
};
use saml::Refusal;
use url::form_urlencoded;

use self::{cookies::Cookies, html::Page, questions::Asked};
use super::{
    client::{TrustedProxies, network_of},
    errors,
};

use crate::{
    app::App,
    areas::organizations::sign_in::{self, Accepted, Beginning, Failure, Finished, Rejection},
};

pub const ACCOUNT: &str = "/account/";

/// Bytes of a form: a response of an identity provider, percent-encoded, and some more.
const MAX_FORM: usize = saml::MAX_ENCODED_BYTES * 2;

/// Bytes of the path to which a sign-in leads.
pub const MAX_RETURN_TO: usize = 2000;

/// Characters of the log about a response.
const MAX_LOGGED: usize = 300;

const STYLE: &str = include_str!("style.css");

/// The pages of `/saml/` and `/account/`.
pub struct SignIn {
    app: App,
    cookies: Cookies,
    proxies: TrustedProxies,
    /// The key of the tokens in forms.
    form_key: [u8; 32],
    /// Whether there is a server that sends mails.
    has_mail: bool,
}

/// A form of a request.
type Form = Vec<(String, String)>;

impl SignIn {
    pub fn new(app: App, settings: &Settings) -> Self {
        Self {
            cookies: Cookies::new(settings.public_url.scheme() == "https"),
            proxies: TrustedProxies::new(&settings.trusted_proxies),
            form_key: Secrets::new(&settings.secret_key).derive("forms of accounts"),
            has_mail: settings.mail().is_some(),
            app,
        }
    }

    /// Returns whether a path is one of these pages.
    pub fn owns(path: &str) -> bool {
        path.starts_with("/saml/") || path.starts_with(ACCOUNT) || path == "/account"
    }

    pub async fn answer(&self, mut request: Request) -> Result<Response, ApiError> {
        let path = request.uri().path().to_owned();
        let form = match *request.method() {
            Method::POST => Some(form(&mut request).await?),
            Method::GET => None,
            _ => return Ok(errors::method_not_allowed(HeaderValue::from_static("GET, HEAD, POST"))),
        };
        let mut response = match path.strip_prefix("/saml/") {
            Some(rest) => self.saml(rest, form, &request).await?,
            None => self.account(path.strip_prefix(ACCOUNT), form, &request).await?,
        };
        protect(&mut response);
        Ok(response)
    }

    async fn saml(&self, rest: &str, form: Option<Form>, request: &Request) -> Result<Response, ApiError> {
        match (rest, &form) {
            ("finish", None) => {
                let code = query(request, "code").unwrap_or_default();
                return self.finish(&code, false, request).await;
            }
            // Without a header that says so, the cookie does: browsers send it with no form of another site.
            ("continue", Some(form)) if own_site(request) != Some(false) => {
                return self
                    .finish(value(form, "code").unwrap_or_default(), true, request)
                    .await;
            }
            ("prove", Some(form)) if own_site(request) != Some(false) => return self.prove(form, request).await,
            ("mail", Some(form)) if own_site(request) != Some(false) => return self.mail_code(form, request).await,
            _ => {}
        }
        let (provider, page) = rest.split_once('/').ok_or_else(errors::unknown_route)?;
        let provider = sign_in::provider_id(provider);
        match (page, form) {
            ("metadata", None) => match sign_in::metadata(&self.app.kernel, provider).await {
                Ok(text) => Ok(Response::builder()
                    .content_type("application/samlmetadata+xml")
                    .body(text)),
                Err(failure) => self.failed(failure),
            },
            ("start", None) => {
                let beginning = Beginning {
                    return_to: return_to(query(request, "returnTo")),
                    own: own_site(request) == Some(true),
                };
                self.start(provider, None, &beginning).await
            }
            ("visit", None) => self.begin_visit(provider, request).await,
            ("visited", None) => self.end_visit(provider, request).await,
            ("acs", Some(form)) => self.accept(provider, &form, request).await,
            _ => Err(errors::unknown_route()),
        }
    }

    /// Leads to an identity provider. With a site, for one of its visitors.
    async fn start(
        &self,
        provider: SamlProviderId,
        site: Option<SiteId>,
        beginning: &Beginning,
    ) -> Result<Response, ApiError> {
        let start = match sign_in::start(&self.app.kernel, provider, site, beginning).await {
            Ok(start) => start,
            Err(failure) => return self.failed(failure),
        };
        let mut response = see_other(start.redirect.as_str())?;
        self.cookies.set_browser(&mut response, &start.browser)?;
        Ok(response)
    }

    /// Takes the response of an identity provider. The browser comes from another site and brings no cookies: it gets its
    /// session in the next step, which is one of this site.
    async fn accept(&self, provider: SamlProviderId, form: &Form, request: &Request) -> Result<Response, ApiError> {
        let response = value(form, "SAMLResponse").unwrap_or_default();
        let relay_state = value(form, "RelayState");
        let address = network_of(self.proxies.client(request));
        match sign_in::accept(&self.app.organizations, provider, (response, relay_state), address).await {
            Ok(Accepted::Session(code)) => see_other(&self.url(&format!("/saml/finish?code={code}"))),
            Ok(Accepted::Visit(visitor)) => self.accept_visit(provider, *visitor).await,
            Err(Failure::Unsolicited) => {
                let to = return_to(relay_state.map(str::to_owned));
                let to = utf8_percent_encode(&to, NON_ALPHANUMERIC);
                see_other(&self.url(&format!("/saml/{provider}/start?returnTo={to}")))
            }
            Err(failure) => self.failed(failure),
        }
    }

    /// `confirmed`: the person has said that they want to be signed in.
    async fn finish(&self, code: &str, confirmed: bool, request: &Request) -> Result<Response, ApiError> {
        let Some(browser) = self.cookies.browser(request) else {
            return self.failed(Failure::Expired);
        };
        let session = self.cookies.session(request);
        match sign_in::finish(&self.app.kernel, code, browser, confirmed, session).await {
            Ok(Finished::Session { secret, return_to }) => self.signed_in(&secret, &return_to),
            Ok(Finished::Unproven(question)) => Ok(self.ask_for_proof(&question, Asked::First)),
            Ok(Finished::Unconfirmed(question)) => Ok(self.ask_to_continue(&question)),
            Err(failure) => self.failed(failure),
        }
    }

    /// The page that says why nobody is signed in. What exactly was wrong with a response stands in the log.
    fn failed(&self, failure: Failure) -> Result<Response, ApiError> {
        let (status, text) = match failure {
            Failure::Error(error) => return Err(error),
            Failure::Unknown => return Err(ApiError::not_found("SAML provider")),
            Failure::Unsolicited | Failure::Expired => (
                StatusCode::BAD_REQUEST,
                "This sign-in was begun in another browser, was finished already, or took too long. Begin again.",
            ),
            Failure::Refused(refusal) => {
                let text = match refusal {
                    Refusal::Encrypted => {
                        "The identity provider encrypts its assertions, and this server has no key for that. Ask an admin of your \
                         organization to switch `encryption` on for the provider, or the people who run it to switch it off."
                    }
                    _ => "The response of the identity provider cannot be accepted. The log of the server says why.",
                };
                // Parts of it come from whoever sent the response.
                let refusal: String = refusal.to_string().chars().take(MAX_LOGGED).collect();
                tracing::warn!(refusal, "a SAML response is refused");
                (StatusCode::BAD_REQUEST, text)
            }
            Failure::Rejected(rejection) => (StatusCode::FORBIDDEN, reason(rejection)),
        };
        let mut page = self.page("You are not signed in");
        page.paragraph(text);
        page.link(&self.url(ACCOUNT), "Sign in");
        Ok(page.response(status))
    }

    fn page(&self, title: &str) -> Page {
        Page::new(title, &self.url("/account/style.css"))
    }

    /// The address of a path of this server.
    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.app.kernel.urls.base())
    }
}

fn reason(rejection: Rejection) -> &'static str {
    match rejection {
        Rejection::NoEmail => {
            "The identity provider does not say an email address of yours that can be used. Ask the people who run it to send one."
        }
        Rejection::ForeignDomain => {
            "Your email address is in a domain that the organization has not proven to own. Ask an admin of the organization \
             to add the domain and its DNS record."
        }
        Rejection::NotAMember => {
            "Your account does not belong to the organization any more. Join the organization with that account first: ask \
             an admin for an invitation."
        }
        Rejection::TooLong => {
            "The identity provider says more about you than fits into an address. Ask the people who run it to send fewer \
             attributes for this service."
        }
        Rejection::Disabled => "Your account is disabled. Ask an admin of the organization.",
    }
}

/// Reads the form of a request.
async fn form(request: &mut Request) -> Result<Form, ApiError> {
    let kind = request.content_type().unwrap_or_default();
    if !kind.starts_with("application/x-www-form-urlencoded") {
        return Err(errors::not_a_form());
    }
    let body = request.take_body();
    let bytes = read_body(request, body, MAX_FORM).await?;
    Ok(form_urlencoded::parse(&bytes).into_owned().take(20).collect())
}

fn value<'f>(form: &'f Form, name: &str) -> Option<&'f str> {
    form.iter()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

fn query(request: &Request, name: &str) -> Option<String> {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// Places of what others than the operator wrote, to which no sign-in leads.
const OF_OTHERS: [&str; 6] = ["integrations", "integration-assets", "sites", "files", "pdf", "openapi"];

/// A path of this server, to which a sign-in leads; anything else is the account. No sign-in leads to another one, which would
/// seem to begin at a page of this server.
pub fn return_to(path: Option<String>) -> String {
    let is_of_others = |path: &str| has_part(path.split(['?', '#']).next().unwrap_or_default(), &OF_OTHERS);
    let is_own =
        |path: &String| is_path(path) && !path.starts_with("//") && !has_part(path, &["saml"]) && !is_of_others(path);
    path.filter(is_own).unwrap_or_else(|| ACCOUNT.to_owned())
}

/// Whether a text is a path that leads nowhere up.
fn is_path(text: &str) -> bool {
    text.starts_with('/')
        && text.len() <= MAX_RETURN_TO
        && text.chars().all(|c| c.is_ascii_graphic() && c != '\\')
        && !has_part(text, &[".", ".."])
}

fn has_part(path: &str, parts: &[&str]) -> bool {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    decoded.split(['/', '\\', '?', '#']).any(|part| parts.contains(&part))
}

/// Whether a page of this server led to a request; `None`: the browser does not say.
fn own_site(request: &Request) -> Option<bool> {
    let site = request.headers().get("sec-fetch-site")?;
    Some(site.as_bytes() == b"same-origin")
}

fn see_other(to: &str) -> Result<Response, ApiError> {
    let to = HeaderValue::try_from(to).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(Response::builder()
        .status(StatusCode::SEE_OTHER)
        .header(header::LOCATION, to)
        .finish())
}

/// Adds what keeps browsers from showing a page in another one, keeping it, or telling others of it.
fn protect(response: &mut Response) {
    let headers = response.headers_mut();
    let policy = "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
