//! Encrypted assertions.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test stops at what is unexpected")]

mod support;

use std::sync::LazyLock;

use saml::{
    Assertion, EncryptionKey, NewEncryptionKey, Refusal, ServiceProvider, parse_certificates,
    testing::{self, Encryption, FIRST, SECOND, encrypt},
};
use support::{Verifier, answer, now};

static KEY: LazyLock<NewEncryptionKey> = LazyLock::new(|| NewEncryptionKey::generate("Tests", now()).unwrap());

const CBC: Encryption = Encryption {
    content: "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
    transport: "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
};

fn verifier() -> Verifier {
    Verifier {
        key: Some(EncryptionKey::read(&KEY.private).unwrap()),
        ..Verifier::new(&[FIRST])
    }
}

fn verify(text: &str) -> Result<Assertion, Refusal> {
    verifier().verify(text)
}

/// The signed assertion of a response.
fn signed_assertion() -> String {
    let text = answer().signed(FIRST);
    let (_, rest) = text.split_at(text.find("<saml:Assertion").unwrap());
    let (assertion, _) = rest.split_at(rest.find("</samlp:Response>").unwrap());
    assertion.to_owned()
}

/// A response with something encrypted in it.
fn with(content: &str, how: Encryption) -> String {
    answer().response(&encrypt(content, &KEY.certificate, how))
}

fn sign(text: &str) -> String {
    testing::sign(text, "_response", FIRST)
}

fn is_wrong(result: Result<Assertion, Refusal>) -> String {
    match result {
        Err(Refusal::Encryption(what)) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_signed_assertion_is_decrypted_and_read() {
    let assertion = verify(&with(&signed_assertion(), Encryption::default())).unwrap();
    assert_eq!(assertion.subject.as_deref(), Some("ines"));
    // As it stood in the response, with a prefix that the response declares.
    let inner = signed_assertion().replacen(" xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\"", "", 1);
    assert_ne!(inner, signed_assertion());
    verify(&with(&inner, Encryption::default())).unwrap();
    // Signed around as well, or only around.
    verify(&sign(&with(&signed_assertion(), Encryption::default()))).unwrap();
    verify(&sign(&with(&answer().assertion(), Encryption::default()))).unwrap();
}

#[test]
fn an_unsigned_assertion_is_refused() {
    let unsigned = with(&answer().assertion(), Encryption::default());
    assert_eq!(verify(&unsigned), Err(Refusal::Unsigned));
    // By somebody else.
    let text = answer().signed(SECOND);
    let start = text.find("<saml:Assertion").unwrap();
    let others = &text[start..text.find("</samlp:Response>").unwrap()];
    for response in [
        with(others, Encryption::default()),
        sign(&with(others, Encryption::default())),
        testing::sign(&with(&answer().assertion(), Encryption::default()), "_response", SECOND),
    ] {
        assert!(matches!(verify(&response), Err(Refusal::Signature(_))));
    }
    // A signature of another assertion around the wrong one.
    let changed = signed_assertion().replace(">ines<", ">mateo<");
    assert!(matches!(
        verify(&with(&changed, Encryption::default())),
        Err(Refusal::Signature(_))
    ));
}

#[test]
fn cbc_needs_a_signed_response() {
    assert!(is_wrong(verify(&with(&signed_assertion(), CBC))).contains("AES-CBC"));
    verify(&sign(&with(&signed_assertion(), CBC))).unwrap();
    verify(&sign(&with(&answer().assertion(), CBC))).unwrap();
    // A changed text never gets to the key.
    let signed = sign(&with(&signed_assertion(), CBC));
    let value = signed.rfind("<xenc:CipherValue>").unwrap() + "<xenc:CipherValue>".len();
    let first = if &signed[value..=value] == "A" { "B" } else { "A" };
    let changed = format!("{}{first}{}", &signed[..value], &signed[value + 1..]);
    assert!(matches!(verify(&changed), Err(Refusal::Signature(_))));
}

#[test]
fn other_algorithms_are_refused() {
    let good = Encryption::default();
    for content in [
        "http://www.w3.org/2001/04/xmlenc#tripledes-cbc",
        "http://www.w3.org/2009/xmlenc11#chacha20",
        "",
    ] {
        let text = sign(&with(&signed_assertion(), Encryption { content, ..good }));
        assert_eq!(verify(&text), Err(Refusal::Algorithm(content.to_owned())));
    }
    for transport in [
        "http://www.w3.org/2001/04/xmlenc#rsa-1_5",
        "http://www.w3.org/2001/04/xmlenc#kw-aes256",
    ] {
        let text = sign(&with(&signed_assertion(), Encryption { transport, ..good }));
        assert_eq!(verify(&text), Err(Refusal::Algorithm(transport.to_owned())));
    }
    let method = "<xenc:EncryptionMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p\"/>";
    let text = with(&signed_assertion(), good);
    let with_method = |inner: &str| {
        let open = format!("{}>{inner}</xenc:EncryptionMethod>", method.trim_end_matches("/>"));
        text.replacen(method, &open, 1)
    };
    let digest =
        |uri: &str| format!("<ds:DigestMethod xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\" Algorithm=\"{uri}\"/>");
    verify(&with_method(&digest("http://www.w3.org/2000/09/xmldsig#sha1"))).unwrap();
    let mixed = verify(&with_method(&digest("http://www.w3.org/2001/04/xmlenc#sha256")));
    assert!(matches!(mixed, Err(Refusal::Algorithm(_))));
    is_wrong(verify(&with_method("<xenc:OAEPparams>AAAA</xenc:OAEPparams>")));
}

#[test]
fn undecryptable_assertions_are_refused_alike() {
    let text = with(&signed_assertion(), Encryption::default());
    let values: Vec<usize> = text
        .match_indices("<xenc:CipherValue>")
        .map(|(at, start)| at + start.len())
        .collect();
    let mut said = Vec::new();
    for at in values {
        // The first characters, and none at all.
        let end = at + text[at..].find('<').unwrap();
        let first = if text[at..].starts_with("AAAA") { "BBBB" } else { "AAAA" };
        said.push(is_wrong(verify(&format!("{}{first}{}", &text[..at], &text[at + 4..]))));
        said.push(is_wrong(verify(&format!("{}AAAA{}", &text[..at], &text[end..]))));
    }
    let other = NewEncryptionKey::generate("Another", now()).unwrap();
    let others = answer().response(&encrypt(&signed_assertion(), &other.certificate, Encryption::default()));
    said.push(is_wrong(verify(&others)));
    assert_eq!(said.len(), 5);
    assert!(said.iter().all(|what| *what == said[0]), "{said:?}");
}

#[test]
fn an_encrypted_element_is_one_assertion() {
    let signed = signed_assertion();
    let twice = format!("{signed}{signed}");
    let nested = encrypt(&signed, &KEY.certificate, Encryption::default());
    for content in [
        "",
        "text",
        "<x/>",
        &twice,
        &format!("{signed}text"),
        &format!("<x>{signed}</x>"),
        &nested,
        &format!("<saml:Assertion>{signed}</saml:Assertion>"),
        &format!("</decrypted><decrypted>{signed}"),
        &format!("<!DOCTYPE x [<!ENTITY a \"b\">]>{signed}"),
        &format!("<?x y?>{signed}"),
        "<saml:Assertion",
    ] {
        for text in [
            with(content, Encryption::default()),
            sign(&with(content, Encryption::default())),
        ] {
            let refusal = verify(&text).unwrap_err();
            assert!(
                matches!(refusal, Refusal::Structure(_) | Refusal::Xml(_) | Refusal::DuplicateId),
                "{content}: {refusal:?}"
            );
        }
    }
}

#[test]
fn the_structure_is_that_of_saml() {
    let text = with(&signed_assertion(), Encryption::default());
    let key = &text[text.find("<ds:KeyInfo").unwrap()..text.find("</ds:KeyInfo>").unwrap() + "</ds:KeyInfo>".len()];
    let element = &text[text.find("<saml:EncryptedAssertion>").unwrap()..text.find("</samlp:Response>").unwrap()];
    // The key may stand beside the data.
    let (inner, start) = (
        &key[key.find("<xenc:").unwrap()..key.rfind("</ds:").unwrap()],
        "</xenc:EncryptedData>",
    );
    let beside = text.replacen(key, "", 1);
    let at = beside.rfind(start).unwrap() + start.len();
    let declared = inner.replacen(">", " xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\">", 1);
    verify(&format!("{}{declared}{}", &beside[..at], &beside[at..])).unwrap();
    for wrong in [
        text.replacen(key, "", 1),
        text.replacen(key, &key.repeat(2), 1),
        text.replacen("xenc:CipherValue", "xenc:Other", 2),
        text.replacen("<xenc:EncryptedData", "<xenc:Other", 1)
            .replacen("</xenc:EncryptedData", "</xenc:Other", 1),
    ] {
        is_wrong(verify(&wrong));
    }
    for wrong in [
        text.replacen(element, &element.repeat(2), 1),
        text.replacen(element, &format!("<samlp:Extensions>{element}</samlp:Extensions>"), 1),
        text.replacen(element, &format!("{element}{}", signed_assertion()), 1),
    ] {
        assert!(matches!(verify(&wrong), Err(Refusal::Structure(_))));
    }
    assert_eq!(support::verify(&text), Err(Refusal::Encrypted));
}

#[test]
fn metadata_have_the_certificate() {
    let mut service = ServiceProvider {
        entity_id: "https://docs.example/saml/x/metadata".to_owned(),
        acs_url: support::ACS.to_owned(),
        encryption_certificate: None,
    };
    assert!(!service.metadata().contains("KeyDescriptor"));
    service.encryption_certificate = Some(KEY.certificate.clone());
    let metadata = service.metadata();
    assert!(metadata.contains("<md:KeyDescriptor use=\"encryption\">") && metadata.contains(&KEY.certificate));
    let certificates = parse_certificates(&KEY.certificate).unwrap();
    certificates[0].check_time(now()).unwrap();
    assert!(EncryptionKey::read(b"no key").is_err());
}
