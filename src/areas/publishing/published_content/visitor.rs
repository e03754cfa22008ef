//! Who asks for published content, and whether the site lets them in.

use entity::{
    base32,
    publishing::sites::{
        SiteVisibility,
        publishing_auth::{Model as PublishingAuth, VisitorAuthBackend},
    },
    timestamp::Timestamp,
};
use openapi::{
    error::{ApiError, ErrorRule},
    models::PublishedContentVisitor,
};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use url::{Url, form_urlencoded};

use super::address::Address;

use crate::{
    areas::{
        joins::visitor_auth,
        publishing::{
            Publishing,
            adaptive_content::{self, known_claims},
            publishing_auth,
            visits::{Visit, VisitorKeys, is_active},
        },
    },
    kernel::{Kernel, urls::VISITOR_AUTH_PATH},
};

/// What a request says about the visitor.
pub struct Visitor {
    /// Signed for the visitor with the private key of the site.
    token: Option<String>,
    unsigned: Map<String, Value>,
    /// The place in the request, for errors.
    pub pointer: &'static str,
}

impl Visitor {
    pub fn in_body(sent: Option<PublishedContentVisitor>) -> Self {
        let (token, unsigned) = match sent {
            Some(PublishedContentVisitor {
                jwt_token,
                unsigned_claims,
            }) => (jwt_token, unsigned_claims),
            None => (None, None),
        };
        Self {
            token,
            unsigned: unsigned.unwrap_or_default().into_iter().collect(),
            pointer: "/body/visitor",
        }
    }

    pub fn in_query(token: Option<String>) -> Self {
        Self {
            token,
            unsigned: Map::new(),
            pointer: "/query/visitorAuthToken",
        }
    }
}

/// What a site does with a visitor.
pub enum Admission {
    Granted(Box<Admitted>),
    /// The visitor gets a token at this address.
    Redirected(String),
    Refused,
}

pub struct Admitted {
    pub visit: Visit,
    /// The path after the key of the share link.
    pub rest: String,
    /// When the visitor has to ask again.
    pub expires: Timestamp,
}

impl Admitted {
    /// A visitor of whom nothing is known.
    pub fn to(address: &Address, expires: Timestamp) -> Self {
        Self {
            visit: Visit::to(&address.site),
            rest: address.rest.clone(),
            expires,
        }
    }
}

impl Visitor {
    pub async fn admit(self, publishing: &Publishing, address: &Address) -> Result<Admission, ApiError> {
        let site = &address.site;
        let now = publishing.kernel.clock.now();
        let mut admitted = Admitted::to(address, VisitorKeys::end_of_token(now));
        let mut signed = None;
        if self.token.is_some() || site.visibility == SiteVisibility::VisitorAuth {
            let auth = publishing_auth::load(publishing.kernel.db.read(), site.id).await?;
            let claims = |token: &str| publishing.visits.keys().claims(token, site.id, auth.key_number, now);
            signed = self.token.as_deref().and_then(claims);
            // The visit ends with its proof.
            if let Some((_, expires)) = &signed {
                admitted.expires = admitted.expires.min(*expires);
            }
            if signed.is_none() && site.visibility == SiteVisibility::VisitorAuth {
                return refused(&publishing.kernel, &auth, address).await;
            }
            admitted.visit.key_number = signed.is_some().then_some(auth.key_number);
        }
        match site.visibility {
            SiteVisibility::Public | SiteVisibility::Unlisted | SiteVisibility::VisitorAuth => {}
            SiteVisibility::ShareLink => {
                let Some((link, rest)) = address.share_link(publishing.visits.keys()) else {
                    return Ok(Admission::Refused);
                };
                if !is_active(publishing.kernel.db.read(), site.id, link).await? {
                    return Ok(Admission::Refused);
                }
                admitted.visit.share_link = Some(link);
                admitted.rest = rest.to_owned();
            }
        }
        if site.adaptive_content {
            let schema = adaptive_content::stored(publishing.kernel.db.read(), site.id).await?;
            let signed = signed.map_or_else(Map::new, |(claims, _)| claims);
            admitted.visit.claims = known_claims(schema.as_ref(), signed, self.unsigned);
        }
        Ok(Admission::Granted(Box::new(admitted)))
    }
}

/// The operator of the site chose the address: nothing that the visitor sends decides where they go.
async fn refused(kernel: &Kernel, auth: &PublishingAuth, address: &Address) -> Result<Admission, ApiError> {
    // One slash: two would make it the address of another host for whoever redirects to it.
    let location = format!("/{}", address.rest.trim_start_matches('/'));
    if let Some(url) = publishing_auth::saml::start_url(kernel, auth, &location).await? {
        return Ok(Admission::Redirected(url));
    }
    if let Some(url) = integration_url(kernel, auth, address, &location).await? {
        return Ok(Admission::Redirected(url));
    }
    let fallback = auth.fallback_url.as_deref().and_then(|url| Url::parse(url).ok());
    Ok(match fallback {
        Some(mut url) => {
            url.query_pairs_mut().append_pair("location", &location);
            Admission::Redirected(url.into())
        }
        None => Admission::Refused,
    })
}

/// Where the visitors of a site sign in by an integration. `None`: they do not, or none is installed.
async fn integration_url(
    kernel: &Kernel,
    auth: &PublishingAuth,
    address: &Address,
    location: &str,
) -> Result<Option<String>, ApiError> {
    if auth.backend != VisitorAuthBackend::Integration {
        return Ok(None);
    }
    let site = &address.site;
    let found = visitor_auth::find(kernel.db.read(), site.organization_id, site.id).await?;
    Ok(found.map(|(integration, installation)| {
        let endpoint = kernel
            .urls
            .site_installation_endpoint(&integration, installation, site.id);
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("location", location);
        format!("{endpoint}{VISITOR_AUTH_PATH}?{}", query.finish())
    }))
}

/// Identifies the claims, on which the content depends. `None`: there are none.
pub fn context_id(claims: &Map<String, Value>) -> Result<Option<String>, ApiError> {
    if claims.is_empty() {
        return Ok(None);
    }
    let digest = Sha256::digest(serde_json::to_vec(claims)?);
    Ok(digest.get(..16).map(base32::encode))
}

pub fn claims_too_long(pointer: &str) -> ApiError {
    ApiError::invalid_member(pointer, ErrorRule::TooLong, "The claims of the visitor are too long.")
}
