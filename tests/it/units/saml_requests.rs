//! The names of requests to identity providers.

use bindery::areas::organizations::sign_in::requests::{Keys, Request};
use data_encoding::BASE64URL_NOPAD;
use entity::{
    ids::{SamlProviderId, SamlRequestId},
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
    let browser = keys().browser(request().id, "/docs/");
    assert_eq!(keys().return_to(request().id, &browser).as_deref(), Some("/docs/"));
    let other = SamlRequestId::from(uuid::Uuid::from_bytes([4; 16]));
    assert_eq!(keys().return_to(other, &browser), None);
    let elsewhere = format!(
        "{}.{}",
        browser.split('.').next().unwrap(),
        BASE64URL_NOPAD.encode(b"/account/")
    );
    for forged in [elsewhere.as_str(), "", ".", "x.y"] {
        assert_eq!(keys().return_to(request().id, forged), None, "{forged}");
    }
}
