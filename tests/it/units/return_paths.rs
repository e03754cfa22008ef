//! Where a sign-in leads to.

use bindery::http::sign_in::{ACCOUNT, MAX_RETURN_TO, return_to};

#[test]
fn a_sign_in_leads_to_paths_of_this_server_alone() {
    for path in ["/", "/docs/", "/account/?a=b#c", "/a//b"] {
        assert_eq!(return_to(Some(path.to_owned())), path);
    }
    let long = format!("/{}", "a".repeat(MAX_RETURN_TO));
    for other in [
        "",
        "docs",
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "/a\nb",
        "/a b",
        "/ä",
        // Another sign-in, however it is written.
        "/saml/x/start",
        "/%73aml/x/start",
        "/./saml/x/start",
        "/a/%2E%2e/saml/x/start",
        "/docs/..",
        &long,
    ] {
        assert_eq!(return_to(Some(other.to_owned())), ACCOUNT, "{other}");
    }
    assert_eq!(return_to(None), ACCOUNT);
}
