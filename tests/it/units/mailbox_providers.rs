//! The list of public mailbox providers.

use bindery::areas::organizations::organizations::mailbox_providers::{domains, is_public};

#[test]
fn the_list_is_in_order() {
    let domains: Vec<_> = domains().collect();
    assert!(domains.is_sorted_by(|a, b| a < b));
    for domain in &domains {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        assert!(domain.contains('.') && domain.chars().all(is_plain), "{domain}");
    }
}

#[test]
fn providers_are_known_exactly() {
    for domain in [
        "gmail.com",
        "outlook.com",
        "yahoo.co.jp",
        "web.de",
        "qq.com",
        "icloud.com",
        "proton.me",
    ] {
        assert!(is_public(domain), "{domain}");
    }
    for domain in [
        "tidewater.example",
        "google.com",
        "sub.gmail.com",
        "com",
        "",
        "# Domains",
    ] {
        assert!(!is_public(domain), "{domain}");
    }
}
