//! Responses that are right, in the forms that identity providers use.

mod support;

use saml::{
    Refusal, Response,
    testing::{self, ELLIPTIC, FIRST, SECOND},
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
fn the_name_of_the_subject_may_be_the_address_or_of_one_use() {
    let mut answer = answer();
    answer.email = None;
    answer.subject = "ines@tidewater.example".to_owned();
    answer.subject_format = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
    let assertion = verify(&answer.signed(FIRST)).unwrap();
    assert_eq!(assertion.email.as_deref(), Some("ines@tidewater.example"));
    answer.subject_format = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
    let assertion = verify(&answer.signed(FIRST)).unwrap();
    assert_eq!((assertion.email, assertion.subject), (None, None));
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
