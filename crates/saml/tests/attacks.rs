//! Responses of attackers. Each starts from one that is accepted.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at what is unexpected")]

mod support;

use chrono::TimeDelta;
use saml::{
    Assertion, Refusal, Response,
    testing::{self, Answer, FIRST, Keys, SECOND},
};
use support::{Verifier, answer, verify};

const EVIL: &str = "eve@tidewater.example";
const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const RSA_SHA256: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const SHA256: &str = "http://www.w3.org/2001/04/xmlenc#sha256";

/// Verifies, and fails if what the attacker wrote was believed.
fn refusal(text: &str) -> Refusal {
    match verify(text) {
        Err(refusal) => refusal,
        Ok(Assertion { email, .. }) => panic!("accepted {email:?}:\n{text}"),
    }
}

fn tag<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let from = text.find(start).unwrap();
    let to = text[from..].rfind(end).unwrap();
    &text[from..from + to + end.len()]
}

struct Parts {
    answer: Answer,
    /// A good response.
    text: String,
    assertion: String,
    signature: String,
    /// The assertion without its signature.
    bare: String,
    /// The assertion of the attacker, with another id and without a signature.
    evil: String,
}

fn parts() -> Parts {
    let answer = answer();
    let text = answer.signed(FIRST);
    verify(&text).unwrap();
    let assertion = tag(&text, "<saml:Assertion", "</saml:Assertion>").to_owned();
    let signature = tag(&text, "<ds:Signature", "</ds:Signature>").to_owned();
    let bare = assertion.replace(&signature, "");
    let evil = bare
        .replace(&answer.id, "_evil")
        .replace("ines@tidewater.example", EVIL)
        .replace(">ines<", ">eve<");
    assert!(evil.contains(EVIL) && evil.contains(">eve<"));
    Parts {
        answer,
        text,
        assertion,
        signature,
        bare,
        evil,
    }
}

/// The response of the parts with something else in place of its assertion.
fn with(parts: &Parts, assertion: &str) -> String {
    parts.text.replace(&parts.assertion, assertion)
}

/// The assertion of the attacker with a signature.
fn signed_evil(parts: &Parts, signature: &str) -> String {
    let subject = format!("{signature}<saml:Subject>");
    parts.evil.replace("<saml:Subject>", &subject)
}

/// Puts an element in front of the end of another.
fn inside(outer: &str, end: &str, inner: &str) -> String {
    let at = outer.rfind(end).unwrap();
    format!("{}{inner}{}", &outer[..at], &outer[at..])
}

/// A response whose signature covers it as a whole, and the response of the attacker with another id.
fn signed_response() -> (String, String, String) {
    let answer = answer();
    let text = testing::sign(&answer.response(&answer.assertion()), "_response", FIRST);
    verify(&text).unwrap();
    let signature = tag(&text, "<ds:Signature", "</ds:Signature>").to_owned();
    let evil = text
        .replace(&signature, "")
        .replace("\"_response\"", "\"_evil\"")
        .replace(&answer.id, "_evil_too");
    let evil = evil.replace("ines@tidewater.example", EVIL);
    (text, signature, evil)
}

fn structure(text: &str) {
    let refusal = refusal(text);
    assert!(matches!(refusal, Refusal::Structure(_)), "{refusal:?}");
}

#[test]
fn wrapping_1_and_2_the_signed_response_in_or_beside_the_signature() {
    let (text, signature, evil) = signed_response();
    let original = text.replace(&signature, "");
    // The copy of the original inside of the signature, and beside it.
    let object = format!("<ds:Object>{original}</ds:Object>");
    let around = inside(&signature, "</ds:Signature>", &object);
    structure(&evil.replacen("<samlp:Status>", &format!("{around}<samlp:Status>"), 1));
    structure(&evil.replacen("<samlp:Status>", &format!("{original}{signature}<samlp:Status>"), 1));
    // Without a second assertion: the signature is of another element.
    let refused = refusal(&evil.replacen("<samlp:Status>", &format!("{signature}<samlp:Status>"), 1));
    assert!(matches!(refused, Refusal::Signature(_)), "{refused:?}");
}

#[test]
fn wrapping_3_the_evil_assertion_beside_the_signed_one() {
    let parts = parts();
    structure(&with(&parts, &format!("{}{}", parts.evil, parts.assertion)));
    structure(&with(&parts, &format!("{}{}", parts.assertion, parts.evil)));
}

#[test]
fn wrapping_4_the_signed_assertion_in_the_evil_one() {
    let parts = parts();
    structure(&with(
        &parts,
        &inside(&parts.evil, "</saml:Assertion>", &parts.assertion),
    ));
}

#[test]
fn wrapping_5_the_evil_assertion_with_the_signature_of_one_at_the_end() {
    let parts = parts();
    let signed = parts
        .evil
        .replace("<saml:Subject>", &format!("{}<saml:Subject>", parts.signature));
    structure(&with(&parts, &format!("{signed}{}", parts.bare)));
    let refused = refusal(&with(&parts, &signed));
    assert!(matches!(refused, Refusal::Signature(_)), "{refused:?}");
}

#[test]
fn wrapping_6_the_signed_assertion_in_the_signature_of_the_evil_one() {
    let parts = parts();
    let signature = inside(&parts.signature, "</ds:Signature>", &parts.bare);
    structure(&with(&parts, &signed_evil(&parts, &signature)));
}

#[test]
fn wrapping_7_the_signed_assertion_in_extensions() {
    let parts = parts();
    let extensions = format!("<samlp:Extensions>{}</samlp:Extensions><samlp:Status>", parts.assertion);
    structure(&with(&parts, &parts.evil).replace("<samlp:Status>", &extensions));
    structure(&parts.text.replace(
        "<samlp:Status>",
        &format!("<samlp:Extensions>{}</samlp:Extensions><samlp:Status>", parts.evil),
    ));
}

#[test]
fn wrapping_8_the_signed_assertion_in_an_object_of_the_signature() {
    let parts = parts();
    let object = format!("<ds:Object>{}</ds:Object>", parts.bare);
    let signature = inside(&parts.signature, "</ds:Signature>", &object);
    structure(&with(&parts, &signed_evil(&parts, &signature)));
}

#[test]
fn an_assertion_of_another_namespace_hides_nothing() {
    let parts = parts();
    let other = parts
        .assertion
        .replace("<saml:Assertion", "<x:Assertion xmlns:x=\"urn:x\"");
    let other = other.replace("</saml:Assertion>", "</x:Assertion>");
    structure(&with(&parts, &format!("{other}{}", parts.evil)));
    structure(&with(&parts, &other));
}

#[test]
fn ids_are_unique() {
    let parts = parts();
    let evil = parts.evil.replace("_evil", &parts.answer.id);
    assert_eq!(
        refusal(&with(&parts, &format!("{evil}{}", parts.assertion))),
        Refusal::DuplicateId
    );
    for name in ["Id", "id", "xml:id", "ID"] {
        let status = format!("<samlp:Status {name}=\"{}\">", parts.answer.id);
        assert_eq!(
            refusal(&parts.text.replace("<samlp:Status>", &status)),
            Refusal::DuplicateId,
            "{name}"
        );
    }
}

#[test]
fn a_signature_covers_the_assertion() {
    let parts = parts();
    assert_eq!(refusal(&with(&parts, &parts.bare)), Refusal::Unsigned);
    let evil = parts.text.replace("ines@tidewater.example", EVIL);
    assert!(matches!(refusal(&evil), Refusal::Signature(_)));
    // A good signature of the response does not excuse a wrong one of the assertion, nor the other way round.
    let broken = parts.assertion.replace("ines@tidewater.example", EVIL);
    let plain = parts.answer.response(&broken);
    assert!(matches!(
        refusal(&testing::sign(&plain, "_response", FIRST)),
        Refusal::Signature(_)
    ));
    let (text, signature, _) = signed_response();
    let inner = parts
        .text
        .replacen("<samlp:Status>", &format!("{signature}<samlp:Status>"), 1);
    assert!(matches!(refusal(&inner), Refusal::Signature(_)));
    structure(&text.replacen(&signature, &signature.repeat(2), 1));
}

#[test]
fn a_part_that_is_signed_is_not_the_assertion() {
    let parts = parts();
    // The signature of an element within the assertion.
    let subject = parts
        .bare
        .replace("<saml:Subject>", "<saml:Subject ID=\"_s\"><!--signature of _s-->");
    structure(&testing::sign(&with(&parts, &subject), "_s", FIRST));
}

#[test]
fn keys_come_from_the_provider_alone() {
    let parts = parts();
    // The provider of another organization signs for this one.
    let mixed_up = refusal(&parts.answer.signed(SECOND));
    assert!(matches!(mixed_up, Refusal::Signature(_)), "{mixed_up:?}");
    // A certificate in the message is not even looked at.
    let certificate: String = SECOND
        .certificate
        .lines()
        .filter(|line| !line.starts_with('-'))
        .collect();
    let info = format!(
        "<ds:KeyInfo><ds:X509Data><ds:X509Certificate>{certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>"
    );
    let with_key = parts.answer.signed(SECOND).replace("</ds:Signature>", &info);
    assert!(matches!(refusal(&with_key), Refusal::Signature(_)));
    assert!(Verifier::new(&[]).verify(&parts.text).is_err());
}

fn signed_by(method: &str, digest: &str, transform: &str, keys: Keys) -> Refusal {
    let answer = answer();
    let plain = answer.response(&answer.assertion());
    refusal(&testing::sign_with(&plain, &answer.id, keys, method, digest, transform))
}

#[test]
fn weak_and_confusing_algorithms_are_refused() {
    let hmac = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256";
    let rsa_sha1 = "http://www.w3.org/2000/09/xmldsig#rsa-sha1";
    let sha1 = "http://www.w3.org/2000/09/xmldsig#sha1";
    let comments = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments";
    for (refused, wrong) in [
        (signed_by(rsa_sha1, SHA256, EXCLUSIVE, FIRST), rsa_sha1),
        (signed_by(RSA_SHA256, sha1, EXCLUSIVE, FIRST), sha1),
        (signed_by(hmac, SHA256, EXCLUSIVE, FIRST), hmac),
        (signed_by(RSA_SHA256, SHA256, comments, FIRST), comments),
    ] {
        // A signature with it is right otherwise, and would be accepted if the algorithm were.
        assert_eq!(refused, Refusal::Algorithm(wrong.to_owned()));
    }
}

#[test]
fn transforms_are_the_two_of_saml() {
    let parts = parts();
    let exclusive = format!("<ds:Transform Algorithm=\"{EXCLUSIVE}\"></ds:Transform></ds:Transforms>");
    let xpath = "<ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\"><ds:XPath>self::x</ds:XPath></ds:Transform>";
    assert!(parts.text.contains(&exclusive));
    for other in [
        format!("{xpath}{exclusive}"),
        exclusive
            .replace("<ds:Transform ", "<ds:Other ")
            .replace("</ds:Transform><", "</ds:Other><"),
    ] {
        let refused = refusal(&parts.text.replace(&exclusive, &other));
        assert!(matches!(refused, Refusal::Signature(_)), "{refused:?}");
    }
}

#[test]
fn the_text_of_a_name_goes_on_behind_a_comment() {
    let mut answer = answer();
    answer.subject = "ines@tidewater.example.evil.example".to_owned();
    let text = answer.signed(FIRST);
    // Comments are not signed: an attacker adds them to a name of their own.
    let cut = text.replace("ines@tidewater.example.evil", "ines@tidewater.example<!---->.evil");
    assert_ne!(cut, text);
    let assertion = verify(&cut).unwrap();
    assert_eq!(
        assertion.subject.as_deref(),
        Some("ines@tidewater.example.evil.example")
    );
}

#[test]
fn an_answer_is_for_this_service_and_this_request() {
    let changed = |change: fn(&mut Answer)| {
        let mut answer = answer();
        change(&mut answer);
        refusal(&answer.signed(FIRST))
    };
    let other = "https://other.example/";
    assert_eq!(
        changed(|a| a.audience = "https://other.example/".to_owned()),
        Refusal::Audience
    );
    assert_eq!(
        changed(|a| a.acs_url = "https://other.example/".to_owned()),
        Refusal::Recipient
    );
    assert_eq!(
        changed(|a| a.destination = "https://other.example/".to_owned()),
        Refusal::Destination
    );
    assert_eq!(
        changed(|a| a.issuer = "https://other.example/".to_owned()),
        Refusal::Issuer
    );
    assert_eq!(changed(|a| a.request = Some("_other".to_owned())), Refusal::Request);
    assert_eq!(changed(|a| a.request = None), Refusal::Request);
    // Only the envelope, which is not signed, says what is expected.
    let answer = answer();
    let text = answer.signed(FIRST);
    let wrong = text.replacen(&answer.issuer, other, 1);
    assert_eq!(refusal(&wrong), Refusal::Issuer);
    let mut theirs = answer.clone();
    theirs.request = Some("_other".to_owned());
    let stolen = theirs.signed(FIRST).replacen("_other", "_request", 1);
    assert_eq!(refusal(&stolen), Refusal::Request);
}

#[test]
fn an_answer_has_its_time() {
    let at = |offset: TimeDelta, lifetime: TimeDelta| {
        let mut answer = answer();
        answer.now += offset;
        answer.lifetime = lifetime;
        refusal(&answer.signed(FIRST))
    };
    let minutes = TimeDelta::minutes;
    assert_eq!(at(-minutes(10), minutes(5)), Refusal::Expired);
    assert_eq!(at(minutes(3), minutes(5)), Refusal::NotYetValid);
    assert!(matches!(at(minutes(0), TimeDelta::days(2)), Refusal::Condition(_)));
    let text = answer();
    let resigned = |from: &str, to: &str| {
        let plain = text.response(&text.assertion().replace(from, to));
        refusal(&testing::sign(&plain, &text.id, FIRST))
    };
    assert!(matches!(resigned(" NotOnOrAfter=", " Other="), Refusal::Condition(_)));
    assert_eq!(
        resigned(
            " SessionIndex=",
            " SessionNotOnOrAfter=\"2020-01-01T00:00:00Z\" SessionIndex="
        ),
        Refusal::Expired
    );
    assert!(matches!(
        resigned("saml:AuthnStatement", "saml:OtherStatement"),
        Refusal::Condition(_)
    ));
    assert_eq!(resigned("<saml:Audience>", "<saml:Audience>x"), Refusal::Audience);
    assert!(matches!(
        resigned("<saml:AudienceRestriction>", "<saml:Other/><saml:AudienceRestriction>"),
        Refusal::Condition(_)
    ));
}

#[test]
fn each_time_of_an_answer_counts() {
    let answer = answer();
    let resigned = |from: &str, to: &str| {
        let assertion = answer.assertion();
        assert!(assertion.contains(from), "{from}");
        let plain = answer.response(&assertion.replacen(from, to, 1));
        refusal(&testing::sign(&plain, &answer.id, FIRST))
    };
    let later = |name: &str| format!(" {name}=\"2030-01-01T00:00:00Z\" x=");
    assert_eq!(resigned(" IssueInstant=", &later("IssueInstant")), Refusal::NotYetValid);
    assert_eq!(resigned(" NotBefore=", &later("NotBefore")), Refusal::NotYetValid);
    let recipient = format!("{}Recipient=", later("NotBefore").trim_end_matches("x="));
    assert_eq!(resigned(" Recipient=", &recipient), Refusal::NotYetValid);
}

#[test]
fn the_assertion_of_a_signed_response_is_at_its_place() {
    let answer = answer();
    let extensions = format!("<samlp:Extensions>{}</samlp:Extensions>", answer.assertion());
    structure(&testing::sign(&answer.response(&extensions), "_response", FIRST));
}

#[test]
fn a_refusal_of_the_identity_provider_lets_nobody_in() {
    let parts = parts();
    let text = parts.text.replace("status:Success", "status:Responder");
    assert!(matches!(refusal(&text), Refusal::Status(_)));
}

#[test]
fn encrypted_assertions_need_a_key() {
    let parts = parts();
    assert_eq!(refusal(&with(&parts, "<saml:EncryptedAssertion/>")), Refusal::Encrypted);
}

#[test]
fn documents_have_no_type_and_no_entities() {
    let parts = parts();
    let entities = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>";
    let file = "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>";
    let external = "<!DOCTYPE x SYSTEM \"https://evil.example/x.dtd\">";
    for start in [entities, file, external, "<!DOCTYPE x>"] {
        assert!(
            matches!(refusal(&format!("{start}{}", parts.text)), Refusal::Xml(_)),
            "{start}"
        );
    }
    assert!(matches!(
        refusal(&parts.text.replace(">ines<", ">&ines;<")),
        Refusal::Xml(_)
    ));
    let instruction = parts.text.replace("<samlp:Status>", "<?x y?><samlp:Status>");
    assert!(matches!(refusal(&instruction), Refusal::Xml(_)));
}

#[test]
fn deep_and_huge_documents_cost_little() {
    let parts = parts();
    for depth in [40, 5_000, 100_000] {
        let deep = format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
        let refused = refusal(&with(&parts, &deep));
        assert!(
            matches!(refused, Refusal::Xml(_) | Refusal::TooLarge),
            "{depth}: {refused:?}"
        );
    }
    assert!(matches!(
        refusal(&with(&parts, &"<a/>".repeat(11_000))),
        Refusal::Xml(_)
    ));
    let attributes: String = (0..60_000).map(|n| format!(" a{n}=\"\"")).collect();
    assert_eq!(refusal(&with(&parts, &format!("<a{attributes}/>"))), Refusal::TooLarge);
}

#[test]
fn values_other_than_responses_are_refused() {
    for text in [
        "",
        "x",
        "<a/>",
        "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\"/>",
    ] {
        refusal(text);
    }
    assert_eq!(Response::decode("%%%").err(), Some(Refusal::Encoding));
    assert_eq!(
        Response::decode(&testing::encode("a")[..1]).err(),
        Some(Refusal::Encoding)
    );
}

#[test]
fn the_request_is_known_before_the_rest_is_parsed() {
    let request_of = |text: &str| {
        let decoded = Response::decode(&testing::encode(text));
        decoded.map(|response| response.in_response_to().map(str::to_owned))
    };
    let root = |attributes: &str| {
        format!("<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Version='2.0' {attributes}")
    };
    let named = Ok(Some("_r".to_owned()));
    for text in [
        root("InResponseTo='_r'><<<"),
        root("InResponseTo='_r'/>"),
        format!("<?xml version='1.0'?><!-- <x --> {}", root("ID='>' InResponseTo='_r'>")),
    ] {
        assert_eq!(request_of(&text), named, "{text}");
    }
    assert_eq!(request_of(&root("ID=' InResponseTo=\"_r\"'>")), Ok(None));
    for text in [root("InResponseTo='_r'"), root("InResponseTo='_r' InResponseTo='_s'>")] {
        assert!(request_of(&text).is_err(), "{text}");
    }
    assert!(matches!(refusal(&root("InResponseTo='_r'><<<")), Refusal::Xml(_)));
}

#[test]
fn namespaces_and_attributes_are_counted_before_parsing() {
    let many = |count: usize, form: &dyn Fn(usize) -> String| (0..count).map(form).collect::<String>();
    let prefixes = many(3000, &|n| format!(" xmlns:p{n}='urn:{n}'"));
    let spread = many(3000, &|n| format!("<a xmlns:p{n}='urn:{n}'/>"));
    let attributes = many(5000, &|n| format!(" a{n}='1'"));
    let children = "<a/>".repeat(300);
    let documents = [
        (
            format!("<r{prefixes}>{children}</r>"),
            "more than 50 namespace prefixes",
        ),
        (format!("<r>{spread}</r>"), "more than 50 namespace prefixes"),
        (
            format!("<r{attributes}>{children}</r>"),
            "more than 200 attributes of an element",
        ),
        // Quotes and angle brackets in comments and character data do not hide the attributes behind them.
        (
            format!("<r><!-- ' --><a b='>'/><![CDATA[ <x \" ]]><a{attributes}/></r>"),
            "more than 200 attributes of an element",
        ),
    ];
    let response = "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" Version=\"2.0\"";
    for (document, reason) in documents {
        let document = document.replace("<r", response).replace("</r>", "</samlp:Response>");
        assert_eq!(refusal(&document), Refusal::Xml(reason.to_owned()));
    }
}
