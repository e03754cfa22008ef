//! Metadata of identity providers.

use saml::{CertificateError, IdentityProvider, MAX_METADATA_BYTES, MetadataError, parse_certificates, testing};

fn metadata(services: &str, certificates: &[&str]) -> String {
    let keys: String = certificates
        .iter()
        .map(|pem| {
            let bare: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
            format!(
                "<md:KeyDescriptor use=\"signing\"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>\n {bare}\n\
                 </ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
            )
        })
        .collect();
    format!(
        "<md:EntityDescriptor xmlns:md=\"urn:oasis:names:tc:SAML:2.0:metadata\" \
         xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\" entityID=\"https://idp.example/\">\
         <md:IDPSSODescriptor>{keys}{services}</md:IDPSSODescriptor></md:EntityDescriptor>"
    )
}

const SERVICES: &str = "<md:SingleSignOnService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST\" \
    Location=\"https://idp.example/post\"/><md:SingleSignOnService \
    Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect\" Location=\"https://idp.example/sso?a=1&amp;b=2\"/>";

#[test]
fn metadata_say_what_a_provider_needs() {
    let certificate = testing::FIRST.certificate;
    let provider = IdentityProvider::parse(&metadata(SERVICES, &[certificate])).unwrap();
    assert_eq!(provider.entity_id, "https://idp.example/");
    assert_eq!(provider.sso_url.as_str(), "https://idp.example/sso?a=1&b=2");
    assert_eq!(provider.certificates, parse_certificates(certificate).unwrap());
    let text = metadata(SERVICES, &[certificate, testing::SECOND.certificate]);
    assert_eq!(IdentityProvider::parse(&text).unwrap().certificates.len(), 2);
    let encryption = text.replacen("signing", "encryption", 1);
    assert_eq!(IdentityProvider::parse(&encryption).unwrap().certificates.len(), 1);
}

#[test]
fn unusable_certificates_beside_usable_ones_are_left_out() {
    let certificate = testing::FIRST.certificate;
    for unusable in [testing::WEAK, "", "AAAA", "?"] {
        for certificates in [[certificate, unusable], [unusable, certificate]] {
            let provider = IdentityProvider::parse(&metadata(SERVICES, &certificates)).unwrap();
            assert_eq!(provider.certificates, parse_certificates(certificate).unwrap());
            assert_eq!(provider.unusable, 1, "{unusable}");
        }
        IdentityProvider::parse(&metadata(SERVICES, &[unusable])).unwrap_err();
    }
}

/// Entities in an `EntitiesDescriptor`, as Keycloak and federations publish them.
fn entities(entities: &[&str]) -> String {
    format!(
        "<EntitiesDescriptor Name=\"urn:keycloak\" xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\">{}</EntitiesDescriptor>",
        entities.concat()
    )
}

#[test]
fn the_only_identity_provider_of_several_entities_is_taken() {
    let good = metadata(SERVICES, &[testing::FIRST.certificate]);
    let service = "<EntityDescriptor entityID=\"https://sp.example/\"><SPSSODescriptor/></EntityDescriptor>";
    for text in [
        entities(&[&good]),
        entities(&[service, &good, service]),
        entities(&[service, &entities(&[&good])]),
        format!("\n{good}"),
        format!("\u{feff}<?xml version=\"1.0\"?>\n{good}\n"),
    ] {
        let provider = IdentityProvider::parse(&text).unwrap_or_else(|error| panic!("{text} {error}"));
        assert_eq!(provider.entity_id, "https://idp.example/");
    }
    let refusal = |text: &str| IdentityProvider::parse(text).unwrap_err().to_string();
    let two = refusal(&entities(&[&good, &entities(&[&good])]));
    assert!(two.contains("several identity providers"), "{two}");
    let none = refusal(&entities(&[service]));
    assert!(none.contains("`IDPSSODescriptor`"), "{none}");
}

#[test]
fn other_metadata_are_refused() {
    let good = metadata(SERVICES, &[testing::FIRST.certificate]);
    let refusal = |text: &str| IdentityProvider::parse(text).unwrap_err();
    assert!(matches!(refusal(""), MetadataError::Xml(_)));
    assert!(matches!(refusal("<a/>"), MetadataError::Missing(_)));
    assert!(matches!(refusal(&format!("<!DOCTYPE a>{good}")), MetadataError::Xml(_)));
    assert!(matches!(
        refusal(&good.replace("entityID", "other")),
        MetadataError::Missing(_)
    ));
    assert!(matches!(
        refusal(&good.replace("IDPSSO", "SPSSO")),
        MetadataError::Missing(_)
    ));
    assert!(matches!(
        refusal(&good.replace("HTTP-Redirect", "Other")),
        MetadataError::Missing(_)
    ));
    assert!(matches!(
        refusal(&good.replace("https://idp.example/sso", "javascript:")),
        MetadataError::Missing(_)
    ));
    for user in ["https://a@", "https://a:b@"] {
        assert!(matches!(
            refusal(&good.replace("https://", user)),
            MetadataError::Missing(_)
        ));
    }
    assert!(matches!(refusal(&metadata(SERVICES, &[])), MetadataError::Missing(_)));
    let weak = refusal(&metadata(SERVICES, &[testing::WEAK]));
    assert!(
        matches!(weak, MetadataError::Certificate(CertificateError::WeakKey(_))),
        "{weak}"
    );
    assert_eq!(refusal(&" ".repeat(MAX_METADATA_BYTES + 1)), MetadataError::TooLarge);
}
