//! Visitors of sites who sign in by a SAML provider. Nothing is stored of them but that their assertion is used: what the
//! identity provider says becomes the claims of a token for the site.

use entity::{
    ids::{SamlProviderId, SamlRequestId, SiteId},
    organizations::saml_providers::Model as Provider,
};
use openapi::error::ApiError;
use platform::db::Tx;
use saml::{Assertion, Attribute};
use serde_json::{Map, Value, json};

use super::{
    Accepted, CODE_LIFETIME, Failure,
    requests::{Keys, Request},
    store,
};

use crate::kernel::Kernel;

/// Claims that say for whom and how long a token is, and that no attribute sets.
const RESERVED_CLAIMS: [&str; 7] = ["aud", "exp", "iat", "iss", "jti", "nbf", "sub"];

/// A visitor whom the identity provider knows, before the browser has shown that it began.
pub struct SignedInVisitor {
    pub site: SiteId,
    pub request: SamlRequestId,
    /// The name of the request.
    pub name: String,
    pub claims: Map<String, Value>,
}

/// A visit that the browser has begun.
pub struct BegunVisit {
    pub site: SiteId,
    pub request: SamlRequestId,
    /// The path in the site where the visitor goes on.
    pub location: String,
}

/// Takes a verified assertion, once.
pub(super) async fn accept(
    kernel: &Kernel,
    provider: Provider,
    assertion: Assertion,
    (site, request, name): (SiteId, SamlRequestId, String),
) -> Result<Accepted, Failure> {
    let claims = claims(&assertion);
    let work = move |tx: Tx| async move {
        let provider = store::provider(&tx, provider.id).await?;
        match provider.filter(Provider::is_active) {
            Some(provider) => store::use_assertion(&tx, &provider, &assertion).await,
            None => Ok::<_, ApiError>(false),
        }
    };
    if !kernel.db.write(work).await? {
        return Err(Failure::Expired);
    }
    Ok(Accepted::Visit(Box::new(SignedInVisitor {
        site,
        request,
        name,
        claims,
    })))
}

/// The visit that a request was made for. `None`: another browser began, or it was too long ago.
pub fn begun(kernel: &Kernel, provider: SamlProviderId, request: &str, browser: &str) -> Option<BegunVisit> {
    let keys = Keys::of(&kernel.secrets);
    let Request { id, expires_at, site } = keys.request(provider, request)?;
    let in_time = expires_at.plus(CODE_LIFETIME) > kernel.clock.now();
    Some(BegunVisit {
        site: site.filter(|_| in_time)?,
        request: id,
        location: keys.beginning(id, browser)?.return_to,
    })
}

fn claims(assertion: &Assertion) -> Map<String, Value> {
    let mut claims = Map::new();
    for (name, attribute) in &assertion.attributes {
        let name = claim(name, attribute);
        if !attribute.values.is_empty() && !RESERVED_CLAIMS.contains(&name) {
            claims.insert(name.to_owned(), value(&attribute.values));
        }
    }
    let known = [
        ("sub", &assertion.subject),
        ("email", &assertion.email),
        ("name", &assertion.display_name),
    ];
    let known = known
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_ref()?)));
    claims.extend(known.map(|(name, value)| (name.to_owned(), json!(value))));
    claims
}

/// The name of an attribute without the address or the namespace that it begins with.
fn claim<'a>(name: &'a str, attribute: &'a Attribute) -> &'a str {
    let last = || name.rsplit(['/', ':']).find(|part| !part.is_empty());
    attribute.friendly_name.as_deref().or_else(last).unwrap_or(name)
}

fn value(values: &[String]) -> Value {
    match values {
        [value] => match value.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            text => json!(text),
        },
        values => json!(values),
    }
}
