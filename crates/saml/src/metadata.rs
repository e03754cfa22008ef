//! The metadata of identity providers.

use std::fmt;

use roxmltree::Node;
use url::Url;

use crate::{
    Certificate, CertificateError, parse_certificates,
    xml::{self, METADATA, SIGNATURE, children, only_child},
};

/// The most bytes of a metadata document.
pub const MAX_METADATA_BYTES: usize = 256 * 1024;

const MAX_ENTITY_ID: usize = 1024;
const REDIRECT: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";

/// What the metadata of an identity provider says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityProvider {
    pub entity_id: String,
    /// The address for requests with the HTTP-Redirect binding.
    pub sso_url: Url,
    /// The certificates that sign; never none.
    pub certificates: Vec<Certificate>,
    /// The number of certificates that cannot be used, such as one of a former key that is too weak.
    pub unusable: usize,
}

/// Why metadata are refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetadataError {
    TooLarge,
    Xml(String),
    /// Something is missing, or there is more than one of it.
    Missing(&'static str),
    /// More than one entity is an identity provider.
    SeveralProviders,
    Certificate(CertificateError),
}

impl fmt::Display for MetadataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "is larger than {MAX_METADATA_BYTES} bytes"),
            Self::Xml(error) => write!(f, "cannot be read: {error}"),
            Self::Missing(what) => write!(f, "needs {what}"),
            Self::SeveralProviders => {
                f.write_str("has several identity providers; send the `EntityDescriptor` of the one that is meant")
            }
            Self::Certificate(error) => write!(f, "has a certificate that {error}"),
        }
    }
}

impl std::error::Error for MetadataError {}

impl IdentityProvider {
    /// Parses the metadata of one identity provider, which may stand among other entities. A signature in them is not verified: an
    /// admin vouches for them.
    pub fn parse(text: &str) -> Result<Self, MetadataError> {
        if text.len() > MAX_METADATA_BYTES {
            return Err(MetadataError::TooLarge);
        }
        let document = xml::parse(text.trim_start()).map_err(|e| MetadataError::Xml(e.to_string()))?;
        let root = document.root_element();
        let entity = entity(root)?;
        let entity_id = entity
            .attribute("entityID")
            .filter(|id| (1..=MAX_ENTITY_ID).contains(&id.chars().count()));
        let entity_id = entity_id.ok_or(MetadataError::Missing("an `entityID` of at most 1024 characters"))?;
        let provider = only_child(entity, METADATA, "IDPSSODescriptor");
        let provider = provider.ok_or(MetadataError::Missing("one `IDPSSODescriptor`"))?;
        let (certificates, unusable) = certificates(provider)?;
        Ok(Self {
            entity_id: entity_id.to_owned(),
            sso_url: sso_url(provider)?,
            certificates,
            unusable,
        })
    }
}

/// The entity of a document that is an identity provider.
fn entity<'a, 'i>(root: Node<'a, 'i>) -> Result<Node<'a, 'i>, MetadataError> {
    if xml::is(root, METADATA, "EntityDescriptor") {
        return Ok(root);
    }
    if !xml::is(root, METADATA, "EntitiesDescriptor") {
        return Err(MetadataError::Missing(
            "an `EntityDescriptor` or an `EntitiesDescriptor` as its only element",
        ));
    }
    let is_provider = |node: &Node<'_, '_>| {
        xml::is(*node, METADATA, "EntityDescriptor") && children(*node, METADATA, "IDPSSODescriptor").next().is_some()
    };
    let mut providers = root.descendants().filter(is_provider);
    match (providers.next(), providers.next()) {
        (Some(provider), None) => Ok(provider),
        (None, _) => Err(MetadataError::Missing(
            "an `EntityDescriptor` with an `IDPSSODescriptor`",
        )),
        (Some(_), Some(_)) => Err(MetadataError::SeveralProviders),
    }
}

fn sso_url(provider: Node<'_, '_>) -> Result<Url, MetadataError> {
    let mut services = children(provider, METADATA, "SingleSignOnService");
    let service = services.find(|service| service.attribute("Binding") == Some(REDIRECT));
    let location = service.and_then(|service| service.attribute("Location"));
    let url = location.and_then(|location| Url::parse(location).ok());
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none())
        .ok_or(MetadataError::Missing(
            "a `SingleSignOnService` with the HTTP-Redirect binding and an `http` or `https` address without a user name",
        ))
}

/// The certificates that sign, and the number of those that cannot be used. If none can, the first is the error.
fn certificates(provider: Node<'_, '_>) -> Result<(Vec<Certificate>, usize), MetadataError> {
    let mut certificates: Vec<Certificate> = Vec::new();
    let mut unusable: Vec<MetadataError> = Vec::new();
    let keys = children(provider, METADATA, "KeyDescriptor").filter(|key| key.attribute("use") != Some("encryption"));
    let nodes = keys.flat_map(|key| key.descendants());
    for node in nodes.filter(|node| xml::is(*node, SIGNATURE, "X509Certificate")) {
        let text = xml::text(node).ok_or(MetadataError::Missing("a text in each `X509Certificate`"));
        let parsed = text.and_then(|text| parse_certificates(&text).map_err(MetadataError::Certificate));
        match parsed {
            Ok(parsed) => certificates.extend(parsed),
            Err(error) => unusable.push(error),
        }
    }
    certificates.dedup();
    if certificates.len() > crate::certificate::MAX_CERTIFICATES {
        return Err(MetadataError::Certificate(CertificateError::TooMany));
    }
    let count = unusable.len();
    match (certificates.is_empty(), unusable.into_iter().next()) {
        (false, _) => Ok((certificates, count)),
        (true, Some(error)) => Err(error),
        (true, None) => Err(MetadataError::Missing(
            "a `KeyDescriptor` with an `X509Certificate` for signing",
        )),
    }
}
