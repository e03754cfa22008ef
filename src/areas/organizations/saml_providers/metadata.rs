//! The metadata of an identity provider.

use std::time::Duration;

use entity::timestamp::Timestamp;
use openapi::{
    error::{ApiError, ErrorRule},
    models::{OrganizationSamlProviderMetadata, SamlMetadataAddress, SamlMetadataDocument},
};
use platform::outbound::{FetchError, FetchLimits, OnBehalf, Oversize};
use saml::{IdentityProvider, to_pem};

use crate::{areas::organizations::Organizations, kernel::Kernel};

const MAX_BYTES: usize = 256 * 1024;
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// Seconds.
const RETRY_AFTER: u32 = 2;

/// The settings of a provider that its metadata contain.
pub struct Metadata {
    pub entity_id: String,
    pub certificate: String,
    pub sso_url: String,
    /// The number of certificates that are expired or cannot be used.
    pub ignored_certificates: usize,
}

/// Reads the metadata that were sent, or those at the address that was sent.
pub async fn read(
    organizations: &Organizations,
    on_behalf: OnBehalf,
    body: OrganizationSamlProviderMetadata,
) -> Result<Metadata, ApiError> {
    let kernel = &organizations.kernel;
    let (xml, member) = match body {
        OrganizationSamlProviderMetadata::SamlMetadataDocument(SamlMetadataDocument { xml }) => (xml, "xml"),
        OrganizationSamlProviderMetadata::SamlMetadataAddress(SamlMetadataAddress { url }) => {
            (fetch(kernel, on_behalf, &url).await?, "url")
        }
    };
    let now = kernel.clock.now();
    let parse = move || parse(&xml, member, now);
    organizations.saml_work.parse(on_behalf.tenant.as_u128(), parse).await?
}

fn parse(xml: &str, member: &str, now: Timestamp) -> Result<Metadata, ApiError> {
    let provider = IdentityProvider::parse(xml).map_err(|error| refused(member, format!("`{member}` {error}.")))?;
    let mut certificates = provider.certificates;
    let found = certificates.len() + provider.unusable;
    // An expired certificate beside a new one is what providers publish after they have changed their key.
    certificates.retain(|certificate| certificate.check_time(now.to_utc()).is_ok());
    if certificates.is_empty() {
        return Err(refused(
            member,
            format!("`{member}` has no certificate that is valid now."),
        ));
    }
    Ok(Metadata {
        entity_id: provider.entity_id,
        certificate: to_pem(&certificates),
        ignored_certificates: found - certificates.len(),
        sso_url: provider.sso_url.into(),
    })
}

async fn fetch(kernel: &Kernel, on_behalf: OnBehalf, url: &str) -> Result<String, ApiError> {
    let limits = FetchLimits {
        bytes: MAX_BYTES,
        oversize: Oversize::Refuse,
        time: TIME_LIMIT,
        on_behalf,
    };
    let fetched = kernel.outbound.get(url, limits).await.map_err(|error| match error {
        FetchError::Busy => ApiError::overloaded(format!("The address {error}."), RETRY_AFTER),
        FetchError::Client(error) => ApiError::internal(format!("{error:#}")),
        error => ApiError::invalid_member("/body/url", ErrorRule::NotFetched, format!("The address {error}.")),
    })?;
    String::from_utf8(fetched.bytes.into()).map_err(|_| refused("url", "`url` leads to no text in UTF-8.".to_owned()))
}

fn refused(member: &str, message: String) -> ApiError {
    ApiError::invalid_member(format!("/body/{member}"), ErrorRule::SamlMetadata, message)
}
