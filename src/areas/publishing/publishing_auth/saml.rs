//! SAML providers at which the visitors of a site sign in.

use entity::{
    ids::{OrganizationId, SamlProviderId, SamlRequestId, SiteId},
    organizations::saml_providers::{self, Model as Provider},
    publishing::sites::{self, publishing_auth},
};
use openapi::error::{ApiError, ErrorRule};
use platform::db::rows;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QuerySelect};
use serde_json::{Map, Value};
use url::{Url, form_urlencoded};

use crate::{
    areas::{
        organizations::{
            saml_providers::store,
            sign_in::{Failure, Rejection},
        },
        publishing::{Publishing, visits::VisitorKeys},
    },
    kernel::Kernel,
};

/// The claim with the request that a token answers.
const REQUEST: &str = "jti";

/// Refuses a provider that the organization does not have.
pub async fn require_provider(
    db: &impl ConnectionTrait,
    organization: OrganizationId,
    provider: Option<SamlProviderId>,
) -> Result<(), ApiError> {
    let Some(provider) = provider else {
        return Ok(());
    };
    // Locked, so that it is not deleted meanwhile.
    let found = rows::find(db, store::of(organization).lock_exclusive(), provider).await?;
    found.map(drop).ok_or_else(|| {
        ApiError::invalid_member(
            "/body/samlProvider",
            ErrorRule::UnknownSamlProvider,
            "`samlProvider` is not a SAML provider of the organization.",
        )
    })
}

/// The address at which a visitor begins to sign in, who comes back to this path in the site. `None`: no active provider.
pub async fn start_url(
    kernel: &Kernel,
    auth: &publishing_auth::Model,
    location: &str,
) -> Result<Option<String>, DbErr> {
    let Some(provider) = auth.saml_provider_id else {
        return Ok(None);
    };
    let row = saml_providers::Entity::find_by_id(provider)
        .one(kernel.db.read())
        .await?;
    Ok(row.filter(Provider::is_active).map(|row| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("site", &auth.site_id.to_string());
        query.append_pair("location", location);
        format!("{}?{}", kernel.urls.saml_page(row.id, "visit"), query.finish())
    }))
}

/// Returns whether the visitors of a site sign in at a provider.
pub async fn is_way_in(kernel: &Kernel, provider: SamlProviderId, site: SiteId) -> Result<bool, DbErr> {
    Ok(auth(kernel, provider, site).await?.is_some())
}

/// The token of a visitor who has answered a request.
pub async fn token(
    publishing: &Publishing,
    provider: SamlProviderId,
    (site, request): (SiteId, SamlRequestId),
    mut claims: Map<String, Value>,
) -> Result<String, Failure> {
    let auth = auth(&publishing.kernel, provider, site)
        .await?
        .ok_or(Failure::Unknown)?;
    claims.insert(REQUEST.to_owned(), request.to_string().into());
    let expires = VisitorKeys::end(publishing.kernel.clock.now());
    let token = publishing
        .visits
        .keys()
        .sign_claims(site, auth.key_number, claims, expires);
    token.ok_or(Failure::Rejected(Rejection::TooLong))
}

/// The address in the site where the visitor goes on with a token, if it is the answer to this request.
pub async fn address(
    publishing: &Publishing,
    provider: SamlProviderId,
    (site, request): (SiteId, SamlRequestId),
    token: &str,
    location: &str,
) -> Result<Option<Url>, ApiError> {
    let db = publishing.kernel.db.read();
    let (Some(auth), Some(row)) = (
        auth(&publishing.kernel, provider, site).await?,
        sites::Entity::find_by_id(site).one(db).await?,
    ) else {
        return Ok(None);
    };
    let claims = publishing
        .visits
        .keys()
        .claims(token, site, auth.key_number, publishing.kernel.clock.now());
    let answered = claims.and_then(|(claims, _)| Some(claims.get(REQUEST)?.as_str()? == request.to_string()));
    if answered != Some(true) {
        return Ok(None);
    }
    let location = location.strip_prefix('/').unwrap_or(location);
    let address = format!("{}{location}", publishing.kernel.urls.site_for_readers(&row));
    let mut address = Url::parse(&address).map_err(|e| ApiError::internal(e.to_string()))?;
    address.query_pairs_mut().append_pair("jwt_token", token);
    Ok(Some(address))
}

/// The authentication of a site. `None`: its visitors do not sign in at the provider.
async fn auth(
    kernel: &Kernel,
    provider: SamlProviderId,
    site: SiteId,
) -> Result<Option<publishing_auth::Model>, DbErr> {
    let row = super::load(kernel.db.read(), site).await?;
    Ok((row.saml_provider_id == Some(provider)).then_some(row))
}
