//! The names of requests to identity providers.

use bindery::areas::organizations::sign_in::requests::{Beginning, Keys, Request};
use data_encoding::BASE64URL_NOPAD;
use entity::{
    ids::{SamlProviderId, SamlRequestId, SiteId},
    timestamp::Timestamp,
};
use platform::secrets::Secrets;

fn keys() -> Keys {
    Keys::of(&Secrets::new(&[7; 32]))
}

fn provider(byte: u8) -> SamlProviderId {
    SamlProviderId::from(uuid::Uuid::from_bytes([byte; 16]))
}

fn request() -> Request {
    Request {
        id: SamlRequestId::from(uuid::Uuid::from_bytes([3; 16])),
        expires_at: Timestamp::from_millis(1_800_000_000_000),
        site: None,
    }
}

#[test]
fn the_name_of_a_visit_is_of_one_site() {
    let site = |byte| SiteId::from(uuid::Uuid::from_bytes([byte; 16]));
    let visit = Request {
        site: Some(site(5)),
        ..request()
    };
    let name = keys().name(provider(1), visit);
    assert_eq!(keys().request(provider(1), &name), Some(visit));
    assert_eq!(keys().request(provider(2), &name), None);
    let part = format!("-{}", site(5));
    let session = keys().name(provider(1), request());
    let (start, signature) = session.rsplit_once('-').unwrap();
    for forged in [
        name.replacen(&part, &format!("-{}", site(6)), 1),
        name.replacen(&part, "", 1),
        name.replacen(&part, "-", 1),
        name.replacen(&part, &part.repeat(2), 1),
        format!("{start}{part}-{signature}"),
    ] {
        assert_ne!(forged, name);
        assert_eq!(keys().request(provider(1), &forged), None, "{forged}");
    }
}

#[test]
fn a_name_is_of_one_request_to_one_provider() {
    let name = keys().name(provider(1), request());
    assert!(name.len() <= 80, "{name}");
    assert_eq!(keys().request(provider(1), &name), Some(request()));
    assert_eq!(keys().request(provider(2), &name), None);
    assert_eq!(Keys::of(&Secrets::new(&[8; 32])).request(provider(1), &name), None);
    for forged in [
        name.replacen("1800000000000", "1800000600000", 1),
        name.replacen("1800000000000", "+1800000000000", 1),
        name[1..].to_owned(),
        name[..name.len() - 1].to_owned(),
        format!("{name}0"),
        name.to_uppercase(),
        String::new(),
        "_".to_owned(),
    ] {
        assert_eq!(keys().request(provider(1), &forged), None, "{forged}");
    }
}

#[test]
fn a_browser_is_of_one_request() {
    let beginning = Beginning {
        return_to: "/docs/".to_owned(),
        own: false,
    };
    let browser = keys().browser(request().id, &beginning);
    assert_eq!(keys().beginning(request().id, &browser), Some(beginning));
    let other = SamlRequestId::from(uuid::Uuid::from_bytes([4; 16]));
    assert_eq!(keys().beginning(other, &browser), None);
    let (rest, _) = browser.rsplit_once('.').unwrap();
    let elsewhere = format!("{rest}.{}", BASE64URL_NOPAD.encode(b"/account/"));
    let own = browser.replace(".false.", ".true.");
    for forged in [elsewhere.as_str(), &own, "", ".", "..", "x.y", "x.true.y"] {
        assert_eq!(keys().beginning(request().id, forged), None, "{forged}");
    }
}

#[test]
fn a_mailed_code_is_of_one_request() {
    let code = keys().mailed(request().id);
    assert_eq!(code.len(), 32);
    assert!(keys().is_mailed(request().id, &code));
    let other = SamlRequestId::from(uuid::Uuid::from_bytes([4; 16]));
    assert!(!keys().is_mailed(other, &code));
    assert!(!keys().is_mailed(request().id, ""));
}
