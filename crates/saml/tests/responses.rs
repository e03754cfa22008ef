//! Responses that are right, in the forms that identity providers use.

#![expect(clippy::unwrap_used, reason = "a test stops at what is unexpected")]

mod support;

use saml::{
    Assertion, Refusal, Response,
    testing::{self, Answer, ELLIPTIC, FIRST, SECOND},
};
use support::{ACS, Verifier, answer, verify};

#[test]
fn a_signed_assertion_is_read() {
    let answer = answer();
    let assertion = verify(&answer.signed(FIRST)).unwrap();
    assert_eq!(assertion.subject.as_deref(), Some("ines"));
    assert_eq!(assertion.email.as_deref(), Some("ines@tidewater.example"));
    assert_eq!(assertion.display_name.as_deref(), Some("Ines Okafor"));
    assert_eq!(assertion.session_index.as_deref(), Some("_session"));
    assert_eq!(assertion.id, answer.id);
    assert!(assertion.usable_until > answer.now + answer.lifetime);
}

#[test]
fn the_response_or_both_may_be_signed() {
    let answer = answer();
    let plain = answer.response(&answer.assertion());
    verify(&testing::sign(&plain, "_response", FIRST)).unwrap();
    let inner = testing::sign(&plain, &answer.id, FIRST);
    verify(&testing::sign(&inner, "_response", FIRST)).unwrap();
}

#[test]
fn other_algorithms_of_sha2_are_fine() {
    let answer = answer();
    let text = testing::sign_with(
        &answer.response(&answer.assertion()),
        &answer.id,
        FIRST,
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
        "http://www.w3.org/2001/04/xmlenc#sha512",
        "http://www.w3.org/2001/10/xml-exc-c14n#",
    );
    verify(&text).unwrap();
    Verifier::new(&[ELLIPTIC]).verify(&answer.signed(ELLIPTIC)).unwrap();
}

#[test]
fn either_of_two_certificates_may_sign() {
    let verifier = Verifier::new(&[SECOND, FIRST]);
    verifier.verify(&answer().signed(FIRST)).unwrap();
    verifier.verify(&answer().signed(SECOND)).unwrap();
}

#[test]
fn a_response_without_a_request_is_one_only_where_none_was_made() {
    let mut answer = answer();
    answer.request = None;
    let text = answer.signed(FIRST);
    assert_eq!(verify(&text), Err(Refusal::Request));
    let unsolicited = Verifier {
        request: None,
        ..Verifier::new(&[FIRST])
    };
    unsolicited.verify(&text).unwrap();
    let encoded = testing::encode(&text);
    assert_eq!(Response::decode(&encoded).unwrap().in_response_to(), None);
}

#[test]
fn a_subject_may_be_the_email_address() {
    let email_of = |format: &'static str, subject: &str| {
        let answer = Answer {
            email: None,
            subject: subject.to_owned(),
            subject_format: format,
            ..answer()
        };
        let verified = Verifier::new(&[ELLIPTIC]).verify(&answer.signed(ELLIPTIC));
        verified.unwrap().email
    };
    let ines = Some("ines@tidewater.example".to_owned());
    for format in [
        "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
        "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
        "urn:oasis:names:tc:SAML:2.0:nameid-format:emailAddress",
        "urn:oasis:names:tc:SAML:2.0:nameid-format:unspecified",
        "",
    ] {
        assert_eq!(email_of(format, "ines@tidewater.example"), ines, "{format}");
        for other in [
            "ines",
            "TIDEWATER\\ines",
            "@tidewater.example",
            "ines@",
            "ines okafor@tidewater.example",
        ] {
            assert_eq!(email_of(format, other), None, "{format} {other}");
        }
    }
    for format in [
        "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
        "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
        "urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos",
        "urn:oasis:names:tc:SAML:1.1:nameid-format:WindowsDomainQualifiedName",
    ] {
        assert_eq!(email_of(format, "ines@tidewater.example"), None, "{format}");
    }
}

#[test]
fn a_subject_without_format_and_attributes_may_be_the_email_address() {
    let answer = Answer {
        subject: "ines@tidewater.example".to_owned(),
        ..answer()
    };
    let assertion = answer.assertion();
    let (before, rest) = assertion.split_once(" Format=\"").unwrap();
    let (_, rest) = rest.split_once('"').unwrap();
    let (until, _) = rest.split_once("<saml:AttributeStatement>").unwrap();
    let text = answer.response(&format!("{before}{until}</saml:Assertion>"));
    let assertion = verify(&testing::sign(&text, &answer.id, FIRST)).unwrap();
    assert_eq!(assertion.email.as_deref(), Some("ines@tidewater.example"));
    assert_eq!(assertion.subject.as_deref(), Some("ines@tidewater.example"));
}

#[test]
fn a_transient_subject_is_no_lasting_name() {
    let answer = Answer {
        subject_format: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
        ..answer()
    };
    assert_eq!(verify(&answer.signed(FIRST)).unwrap().subject, None);
}

/// An attribute of XML: its `Name`, further XML attributes, and its values.
fn attribute(name: &str, more: &str, values: &[&str]) -> String {
    let values = values
        .iter()
        .map(|value| format!("<saml:AttributeValue>{value}</saml:AttributeValue>"));
    let values: String = values.collect();
    format!("<saml:Attribute Name=\"{name}\"{more}>{values}</saml:Attribute>")
}

fn with_attributes(attributes: String) -> Assertion {
    let answer = Answer {
        email: None,
        display_name: None,
        attributes,
        ..answer()
    };
    let verified = Verifier::new(&[ELLIPTIC]).verify(&answer.signed(ELLIPTIC));
    verified.unwrap()
}

#[test]
fn the_email_attribute_has_many_names() {
    let ines = "ines@tidewater.example";
    for name in [
        "email",
        "Email",
        "E-Mail",
        "e_mail",
        "EMAIL",
        "Mail",
        "emailaddress",
        "EmailAddress",
        "email_address",
        "User.email",
        "user.Mail",
        "URN:OID:0.9.2342.19200300.100.1.3",
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailAddress",
    ] {
        let assertion = with_attributes(attribute(name, "", &[ines]));
        assert_eq!(assertion.email.as_deref(), Some(ines), "{name}");
    }
    for friendly in ["mail", "Email", "E-Mail"] {
        let friendly = format!(" FriendlyName=\"{friendly}\"");
        let assertion = with_attributes(attribute("urn:x:1", &friendly, &[ines]));
        assert_eq!(assertion.email.as_deref(), Some(ines), "{friendly}");
    }
    for name in ["emails", "mail2", "manager.email", "user.name"] {
        assert_eq!(with_attributes(attribute(name, "", &[ines])).email, None, "{name}");
    }
}

#[test]
fn a_value_that_comes_twice_is_one() {
    let ines = "ines@tidewater.example";
    let twice = attribute("mail", "", &[ines, ines]);
    assert_eq!(with_attributes(twice).email.as_deref(), Some(ines));
    let again = attribute("mail", "", &[ines]) + &attribute("mail", "", &[ines]);
    assert_eq!(with_attributes(again).email.as_deref(), Some(ines));
    let different = attribute("mail", "", &[ines, "eve@tidewater.example"]);
    assert_eq!(with_attributes(different).email, None);
}

#[test]
fn an_attribute_without_an_address_leaves_the_email_to_others() {
    let ines = "ines@tidewater.example";
    let attributes = attribute("email", "", &["none"]) + &attribute("Work", " FriendlyName=\"mail\"", &[ines]);
    assert_eq!(with_attributes(attributes).email.as_deref(), Some(ines));
    // A name says more than a friendly name.
    let attributes =
        attribute("a", " FriendlyName=\"email\"", &["eve@tidewater.example"]) + &attribute("mail", "", &[ines]);
    assert_eq!(with_attributes(attributes).email.as_deref(), Some(ines));
}

#[test]
fn the_name_to_show_has_many_names_too() {
    for name in ["displayName", "DisplayName", "display_name", "User.displayName", "Name"] {
        let assertion = with_attributes(attribute(name, "", &["Ines Okafor"]));
        assert_eq!(assertion.display_name.as_deref(), Some("Ines Okafor"), "{name}");
    }
}

#[test]
fn clocks_may_differ_a_little() {
    let mut late = answer();
    late.now += chrono::TimeDelta::seconds(100);
    verify(&late.signed(FIRST)).unwrap();
    let mut early = answer();
    early.now -= early.lifetime + chrono::TimeDelta::seconds(100);
    verify(&early.signed(FIRST)).unwrap();
}

/// Made by xmlsec1, so that reader and writer are not the same code.
#[test]
fn another_implementation_signs_as_this_one_reads() {
    let text = include_str!("data/xmlsec1.xml");
    let assertion = verify(text).unwrap();
    assert_eq!(assertion.email.as_deref(), Some("ines@tidewater.example"));
    let changed = text.replace("ines@tidewater", "eves@tidewater");
    assert!(matches!(verify(&changed), Err(Refusal::Signature(_))));
    assert!(text.contains(ACS));
}
