//! Signing in by a SAML provider. The service begins: the browser keeps a secret, the identity provider answers the request,
//! and the browser that began gets the session. An answer to no request begins anew, so that nobody is signed in by a link
//! or a form of somebody else.

mod person;
mod purge_job;
pub mod sessions;
mod store;

use chrono::TimeDelta;
use data_encoding::BASE64URL_NOPAD;
use entity::{
    ids::{Id, SamlProviderId, SamlRequestId},
    saml_providers::{Model as Provider, requests},
};
use openapi::error::ApiError;
use platform::db::rows;
use saml::{AuthnRequest, Expected, Refusal, Response, ServiceProvider, parse_certificates};
use sha2::{Digest, Sha256};
use url::Url;

use crate::app::{
    App,
    audit::{Changed, SystemAction},
};

pub use person::Rejection;
pub use purge_job::PurgeSignIns;

/// The time that a person has to prove who they are to the identity provider.
const REQUEST_LIFETIME: TimeDelta = TimeDelta::minutes(10);

/// The time that the browser has to come back after the answer.
const CODE_LIFETIME: TimeDelta = TimeDelta::minutes(2);

/// Why nobody is signed in.
pub enum Failure {
    /// There is no such provider, or it is not set up.
    Unknown,
    /// The response answers no request; a new one may be made.
    Unsolicited,
    /// The request was made by another browser, was answered already, or too long ago.
    Expired,
    /// The response does not prove who the person is.
    Refused(Refusal),
    /// The person is known, and not let in.
    Rejected(Rejection),
    Error(ApiError),
}

impl<E: Into<ApiError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

/// A sign-in that has begun.
pub struct Start {
    /// The address at the identity provider.
    pub redirect: Url,
    /// What the browser has to keep.
    pub browser: String,
}

/// The metadata of the service for a provider, whether or not it is set up.
pub async fn metadata(app: &App, provider: SamlProviderId) -> Result<String, Failure> {
    let provider = store::provider(app.db.read(), provider)
        .await?
        .ok_or(Failure::Unknown)?;
    Ok(service(app, &provider).metadata())
}

/// Begins a sign-in that ends at a path of this server.
pub async fn start(app: &App, provider: SamlProviderId, return_to: &str) -> Result<Start, Failure> {
    let provider = active(app, provider).await?;
    let (browser, now) = (secret()?, app.clock.now());
    let request = requests::Model {
        id: app.ids.next(),
        provider_id: provider.id,
        browser_hash: hash(&browser),
        return_to: return_to.to_owned(),
        user_id: None,
        code_hash: None,
        expires_at: now.plus(REQUEST_LIFETIME),
    };
    let id = request_name(request.id);
    let work = move |tx: platform::db::Tx| async move { rows::insert(&tx, &request).await };
    app.db.write(work).await?;
    let destination = Url::parse(&provider.sso_url).map_err(|e| ApiError::internal(e.to_string()))?;
    let redirect = AuthnRequest {
        id: &id,
        now: now.to_utc(),
        destination: &destination,
        service: &service(app, &provider),
        relay_state: &id,
    };
    let redirect = redirect.redirect().map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(Start { redirect, browser })
}

/// Takes the response of an identity provider. Returns the code with which the browser gets its session.
pub async fn accept(
    app: &App,
    provider: SamlProviderId,
    response: &str,
    relay_state: Option<&str>,
) -> Result<String, Failure> {
    let provider = active(app, provider).await?;
    let response = Response::decode(response).map_err(Failure::Refused)?;
    let Some(name) = response.in_response_to().map(str::to_owned) else {
        // What came with a request and does not name it would begin anew for ever.
        let ours = relay_state.is_some_and(|state| request_id(state).is_some());
        return Err(if ours {
            Failure::Refused(Refusal::Request)
        } else {
            Failure::Unsolicited
        });
    };
    let now = app.clock.now();
    let request = request_id(&name).ok_or(Failure::Expired)?;
    let open = store::open_request(app.db.read(), provider.id, request, now).await?;
    open.ok_or(Failure::Expired)?;
    let service = service(app, &provider);
    let certificates = parse_certificates(&provider.certificate).map_err(|e| ApiError::internal(e.to_string()))?;
    let expected = Expected {
        identity_provider: &provider.entity_id,
        certificates: &certificates,
        acs_url: &service.acs_url,
        audience: &service.entity_id,
        request: Some(&name),
        now: now.to_utc(),
    };
    let assertion = response.verify(&expected).map_err(Failure::Refused)?;
    let code = secret()?;
    let (code_hash, new_user) = (hash(&code), app.ids.next());
    let answered_until = now.plus(CODE_LIFETIME);
    let work = move |tx| async move {
        if !store::use_assertion(&tx, &provider, &assertion).await? {
            return Ok(Changed::nothing(Err(Failure::Expired)));
        }
        let person = match person::find_or_create(&tx, &provider, &assertion, new_user, now).await? {
            Ok(person) => person,
            Err(rejection) => return Ok(Changed::nothing(Err(Failure::Rejected(rejection)))),
        };
        if !store::answer(&tx, request, person.user, code_hash, now, answered_until).await? {
            return Ok(Changed::nothing(Err(Failure::Expired)));
        }
        person.changed(&provider).map(|changed| changed.map(Ok))
    };
    let accepted = app.write(SystemAction::SignIn, work).await?;
    let user = accepted?;
    app.guard.forget_user(user);
    Ok(code)
}

/// Ends a sign-in in the browser that began it. Returns the secret of its session and the path where the person goes on.
pub async fn finish(app: &App, code: &str, browser: &str) -> Result<(String, String), Failure> {
    let (code, browser, now) = (hash(code), hash(browser), app.clock.now());
    let (secret, id) = (secret()?, app.ids.next());
    let session_hash = hash(&secret);
    let work = move |tx: platform::db::Tx| async move {
        let Some(request) = store::take_answered(&tx, code, browser, now).await? else {
            return Ok::<_, ApiError>(None);
        };
        let begun = sessions::begin(&tx, id, session_hash, &request, now).await?;
        Ok(begun.then_some(request.return_to))
    };
    let return_to = app.db.write(work).await?;
    Ok((secret, return_to.ok_or(Failure::Expired)?))
}

async fn active(app: &App, provider: SamlProviderId) -> Result<Provider, Failure> {
    let provider = store::provider(app.db.read(), provider).await?;
    provider.filter(Provider::is_active).ok_or(Failure::Unknown)
}

fn service(app: &App, provider: &Provider) -> ServiceProvider {
    ServiceProvider {
        entity_id: app.urls.saml_page(provider.id, "metadata"),
        acs_url: app.urls.saml_page(provider.id, "acs"),
    }
}

/// The id of a request in XML, where ids do not begin with a digit.
fn request_name(id: SamlRequestId) -> String {
    format!("_{id}")
}

fn request_id(name: &str) -> Option<SamlRequestId> {
    name.strip_prefix('_')?.parse().ok()
}

/// 256 random bits.
fn secret() -> Result<String, ApiError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(BASE64URL_NOPAD.encode(&bytes))
}

fn hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}

/// An id that a path names; one that cannot be parsed names nothing.
pub fn provider_id(text: &str) -> SamlProviderId {
    SamlProviderId::parse_or_nil(text)
}
