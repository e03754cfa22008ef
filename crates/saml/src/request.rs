//! Requests to identity providers, and the metadata by which identity providers know the service.

use std::io::Write;

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, SecondsFormat, Utc};
use flate2::{Compression, write::DeflateEncoder};
use url::Url;

use crate::{
    encryption::METHODS,
    xml::{ASSERTION, METADATA, PROTOCOL, SIGNATURE, escape},
};

const POST: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";

/// A request to let a person in.
pub struct AuthnRequest<'a> {
    /// The id, which the response names: a letter or `_`, then letters and digits.
    pub id: &'a str,
    pub now: DateTime<Utc>,
    /// The address of the identity provider.
    pub destination: &'a Url,
    pub service: &'a ServiceProvider,
    /// What the identity provider gives back with its response.
    pub relay_state: &'a str,
}

/// The service, as identity providers know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceProvider {
    pub entity_id: String,
    pub acs_url: String,
    /// The certificate with the key to which assertions may be encrypted, in base64 of DER.
    pub encryption_certificate: Option<String>,
}

impl AuthnRequest<'_> {
    /// The address to which the browser is sent, with the request in it (HTTP-Redirect binding).
    pub fn redirect(&self) -> std::io::Result<Url> {
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
        deflated.write_all(self.xml().as_bytes())?;
        let request = STANDARD.encode(deflated.finish()?);
        let mut url = self.destination.clone();
        url.query_pairs_mut()
            .append_pair("SAMLRequest", &request)
            .append_pair("RelayState", self.relay_state);
        Ok(url)
    }

    fn xml(&self) -> String {
        format!(
            "<samlp:AuthnRequest xmlns:samlp=\"{PROTOCOL}\" xmlns:saml=\"{ASSERTION}\" ID=\"{}\" Version=\"2.0\" \
             IssueInstant=\"{}\" Destination=\"{}\" ProtocolBinding=\"{POST}\" AssertionConsumerServiceURL=\"{}\">\
             <saml:Issuer>{}</saml:Issuer><samlp:NameIDPolicy AllowCreate=\"true\"/></samlp:AuthnRequest>",
            escape(self.id),
            self.now.to_rfc3339_opts(SecondsFormat::Secs, true),
            escape(self.destination.as_str()),
            escape(&self.service.acs_url),
            escape(&self.service.entity_id),
        )
    }
}

impl ServiceProvider {
    /// The metadata document of the service.
    pub fn metadata(&self) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <md:EntityDescriptor xmlns:md=\"{METADATA}\" entityID=\"{}\">\
             <md:SPSSODescriptor AuthnRequestsSigned=\"false\" WantAssertionsSigned=\"true\" \
             protocolSupportEnumeration=\"{PROTOCOL}\">{}\
             <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>\
             <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>\
             <md:AssertionConsumerService Binding=\"{POST}\" Location=\"{}\" index=\"0\" isDefault=\"true\"/>\
             </md:SPSSODescriptor></md:EntityDescriptor>\n",
            escape(&self.entity_id),
            self.encryption().unwrap_or_default(),
            escape(&self.acs_url),
        )
    }

    fn encryption(&self) -> Option<String> {
        let certificate = escape(self.encryption_certificate.as_ref()?);
        let methods = METHODS.map(|method| format!("<md:EncryptionMethod Algorithm=\"{method}\"/>"));
        Some(format!(
            "<md:KeyDescriptor use=\"encryption\"><ds:KeyInfo xmlns:ds=\"{SIGNATURE}\"><ds:X509Data><ds:X509Certificate>\
             {certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>{}</md:KeyDescriptor>",
            methods.concat()
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::DeflateDecoder;

    use super::*;

    fn service() -> ServiceProvider {
        ServiceProvider {
            entity_id: "https://docs.example/saml/x/metadata".to_owned(),
            acs_url: "https://docs.example/saml/x/acs?a=1&b=\"2\"".to_owned(),
            encryption_certificate: None,
        }
    }

    #[test]
    fn a_request_travels_in_the_address() {
        let destination = Url::parse("https://idp.example/sso?tenant=a%20b").unwrap();
        let service = service();
        let request = AuthnRequest {
            id: "_request",
            now: DateTime::from_timestamp(1_800_000_000, 0).unwrap(),
            destination: &destination,
            service: &service,
            relay_state: "_request",
        };
        let url = request.redirect().unwrap();
        let query: Vec<_> = url.query_pairs().into_owned().collect();
        assert_eq!(query[0], ("tenant".to_owned(), "a b".to_owned()));
        assert_eq!(query[2], ("RelayState".to_owned(), "_request".to_owned()));
        let mut text = String::new();
        let deflated = STANDARD.decode(&query[1].1).unwrap();
        DeflateDecoder::new(deflated.as_slice())
            .read_to_string(&mut text)
            .unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        let root = document.root_element();
        assert_eq!(root.attribute("ID"), Some("_request"));
        assert_eq!(root.attribute("IssueInstant"), Some("2027-01-15T08:00:00Z"));
        assert_eq!(
            root.attribute("AssertionConsumerServiceURL"),
            Some(service.acs_url.as_str())
        );
    }

    #[test]
    fn metadata_escapes_addresses() {
        let text = service().metadata();
        let document = roxmltree::Document::parse(&text).unwrap();
        let acs = document
            .descendants()
            .find(|n| n.has_tag_name("AssertionConsumerService"))
            .unwrap();
        assert_eq!(acs.attribute("Location"), Some(service().acs_url.as_str()));
    }
}
