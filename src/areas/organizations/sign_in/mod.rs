//! Signing in by a SAML provider. The service begins: the browser keeps a secret, the identity provider answers the request,
//! and the browser that began gets the session. An answer to no request begins anew, so that nobody is signed in by a link
//! or a form of somebody else. Nothing is stored before an answer is verified.

mod finish;
mod person;
mod proof;
mod purge_job;
mod question;
pub mod requests;
pub mod sessions;
mod store;
pub mod visits;
pub mod ways_in;

use chrono::TimeDelta;
use data_encoding::BASE64URL_NOPAD;
use entity::{
    ids::{Id, SamlProviderId, SiteId, UserId},
    organizations::saml_providers::{Model as Provider, requests::Model as Answered},
    timestamp::Timestamp,
};
use openapi::error::ApiError;
use platform::db::Tx;
use saml::{Assertion, AuthnRequest, Expected, Refusal, Response, ServiceProvider, parse_certificates};
use sha2::{Digest, Sha256};
use url::Url;

use crate::{
    areas::organizations::{Organizations, saml_providers::encryption},
    kernel::{
        Kernel,
        audit::{Changed, SystemAction},
    },
};
use person::Found;
use requests::{Keys, Request};

pub use finish::{Finished, finish};
pub use person::Rejection;
pub use proof::{Proof, mail_code, prove};
pub use purge_job::PurgeSignIns;
pub use question::Question;
pub use requests::Beginning;
pub use visits::SignedInVisitor;

/// The time that a person has to prove who they are to the identity provider.
const REQUEST_LIFETIME: TimeDelta = TimeDelta::minutes(10);

/// The time that a person has to answer the question of a page.
const QUESTION_LIFETIME: TimeDelta = TimeDelta::minutes(10);

/// The time that the browser has to come back after the answer.
const CODE_LIFETIME: TimeDelta = TimeDelta::minutes(2);

/// The `RelayState` of visits.
const VISIT: &str = "visit";

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

/// The result of a verified response.
pub enum Accepted {
    /// A session, which the browser gets with this code.
    Session(String),
    Visit(Box<SignedInVisitor>),
}

/// The metadata of the service for a provider, whether or not it is set up.
pub async fn metadata(kernel: &Kernel, provider: SamlProviderId) -> Result<String, Failure> {
    let provider = store::provider(kernel.db.read(), provider)
        .await?
        .ok_or(Failure::Unknown)?;
    Ok(service(kernel, &provider).metadata())
}

/// Begins a sign-in. With a site, of one of its visitors.
pub async fn start(
    kernel: &Kernel,
    provider: SamlProviderId,
    site: Option<SiteId>,
    beginning: &Beginning,
) -> Result<Start, Failure> {
    let provider = active(kernel, provider).await?;
    let (keys, now) = (Keys::of(&kernel.secrets), kernel.clock.now());
    let request = Request {
        id: kernel.ids.next(),
        expires_at: now.plus(REQUEST_LIFETIME),
        site,
    };
    let name = keys.name(provider.id, request);
    // The name of a visit is too long for a `RelayState`.
    let relay_state = site.map_or(name.as_str(), |_| VISIT);
    let destination = Url::parse(&provider.sso_url).map_err(|e| ApiError::internal(e.to_string()))?;
    let redirect = AuthnRequest {
        id: &name,
        now: now.to_utc(),
        destination: &destination,
        service: &service(kernel, &provider),
        relay_state,
    };
    let redirect = redirect.redirect().map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(Start {
        redirect,
        browser: keys.browser(request.id, beginning),
    })
}

/// Takes the response of an identity provider, from a client address. It is parsed only if it names a request of this server.
pub async fn accept(
    organizations: &Organizations,
    provider: SamlProviderId,
    (response, relay_state): (&str, Option<&str>),
    address: u128,
) -> Result<Accepted, Failure> {
    let provider = active(&organizations.kernel, provider).await?;
    let (keys, now) = (
        Keys::of(&organizations.kernel.secrets),
        organizations.kernel.clock.now(),
    );
    let response = Response::decode(response).map_err(Failure::Refused)?;
    let Some(name) = response.in_response_to().map(str::to_owned) else {
        // What came with a request and does not name it would begin anew for ever.
        let is_ours = |state: &str| state == VISIT || keys.request(provider.id, state).is_some();
        let ours = relay_state.is_some_and(is_ours);
        return Err(if ours {
            Failure::Refused(Refusal::Request)
        } else {
            Failure::Unsolicited
        });
    };
    let request = keys.request(provider.id, &name);
    let request = request.filter(|request| request.expires_at > now);
    let request = request.ok_or(Failure::Expired)?;
    let kernel = organizations.kernel.clone();
    let verify = move || verify(&kernel, &provider, &response, &name).map(|assertion| (provider, name, assertion));
    let (provider, name, assertion) = organizations.saml_work.parse(address, verify).await??;
    match request.site {
        Some(site) => visits::accept(&organizations.kernel, provider, assertion, (site, request.id, name)).await,
        None => accept_session(organizations, provider, assertion, request).await,
    }
}

async fn accept_session(
    organizations: &Organizations,
    provider: Provider,
    assertion: Assertion,
    request: Request,
) -> Result<Accepted, Failure> {
    let now = organizations.kernel.clock.now();
    let code = secret()?;
    let answered = Answered {
        id: request.id,
        provider_id: provider.id,
        user_id: organizations.kernel.ids.next(),
        subject_hash: None,
        unproven: false,
        mailed: false,
        code_hash: Some(hash(&code)),
        code_expires_at: now.plus(CODE_LIFETIME),
        // For as long as another answer, or what the person says to a question, can come.
        expires_at: request.expires_at.plus(CODE_LIFETIME + QUESTION_LIFETIME),
    };
    let work = move |tx| async move { take(&tx, &provider, &assertion, answered, now).await };
    let accepted = organizations.kernel.write(SystemAction::SignIn, work).await?;
    accepted?;
    organizations.access.forget_tokens();
    Ok(Accepted::Session(code))
}

/// Notes who has answered a request, which names the id of a new user. Returns the user who is let in; `None`: the person has
/// yet to prove that the account is theirs.
async fn take(
    tx: &Tx,
    provider: &Provider,
    assertion: &Assertion,
    request: Answered,
    now: Timestamp,
) -> Result<Changed<Result<Option<UserId>, Failure>>, ApiError> {
    let Some(provider) = &store::provider(tx, provider.id).await?.filter(Provider::is_active) else {
        return Ok(Changed::nothing(Err(Failure::Unknown)));
    };
    if !store::use_assertion(tx, provider, assertion).await? || store::is_answered(tx, request.id).await? {
        return Ok(Changed::nothing(Err(Failure::Expired)));
    }
    let found = match person::find_or_create(tx, provider, assertion, request.user_id, now).await? {
        Ok(found) => found,
        Err(rejection) => return Ok(Changed::nothing(Err(Failure::Rejected(rejection)))),
    };
    let answered = match &found {
        Found::Person(person) => Answered {
            user_id: person.user,
            ..request
        },
        Found::Unproven { user, subject_hash } => Answered {
            user_id: *user,
            subject_hash: Some(subject_hash.clone()),
            unproven: true,
            ..request
        },
    };
    if !store::answer(tx, answered).await? {
        return Ok(Changed::nothing(Err(Failure::Expired)));
    }
    match found {
        Found::Person(person) => {
            let changed = person.changed(provider)?;
            Ok(changed.map(|user| Ok(Some(user))))
        }
        Found::Unproven { .. } => Ok(Changed::nothing(Ok(None))),
    }
}

fn verify(kernel: &Kernel, provider: &Provider, response: &Response, request: &str) -> Result<Assertion, Failure> {
    let service = service(kernel, provider);
    let certificates = parse_certificates(&provider.certificate).map_err(|e| ApiError::internal(e.to_string()))?;
    let key = encryption::read(kernel, provider);
    let expected = Expected {
        identity_provider: &provider.entity_id,
        certificates: &certificates,
        key: key.as_ref(),
        acs_url: &service.acs_url,
        audience: &service.entity_id,
        request: Some(request),
        now: kernel.clock.now().to_utc(),
    };
    response.verify(&expected).map_err(Failure::Refused)
}

async fn active(kernel: &Kernel, provider: SamlProviderId) -> Result<Provider, Failure> {
    let provider = store::provider(kernel.db.read(), provider).await?;
    provider.filter(Provider::is_active).ok_or(Failure::Unknown)
}

fn service(kernel: &Kernel, provider: &Provider) -> ServiceProvider {
    ServiceProvider {
        entity_id: kernel.urls.saml_page(provider.id, "metadata"),
        acs_url: kernel.urls.saml_page(provider.id, "acs"),
        encryption_certificate: provider.encryption_certificate.clone(),
    }
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
