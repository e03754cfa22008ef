//! Who a request comes from, behind proxies.

use bindery::http::client::{FORWARDED_FOR, TrustedProxies, network_of};
use ipnet::IpNet;
use poem::http::HeaderMap;

fn client(trusted: &str, peer: &str, forwarded: &[&'static str]) -> String {
    let networks: Vec<IpNet> = trusted
        .split_whitespace()
        .map(|network| network.parse().unwrap())
        .collect();
    let mut headers = HeaderMap::new();
    for value in forwarded {
        headers.append(FORWARDED_FOR, value.parse().unwrap());
    }
    TrustedProxies::new(&networks)
        .behind(peer.parse().unwrap(), &headers)
        .to_string()
}

#[test]
fn no_proxy_is_trusted_by_default() {
    assert_eq!(client("", "192.0.2.1", &["203.0.113.9"]), "192.0.2.1");
}

#[test]
fn a_trusted_proxy_names_the_client_but_the_client_cannot_add_to_it() {
    assert_eq!(client("192.0.2.0/24", "192.0.2.1", &["203.0.113.9"]), "203.0.113.9");
    assert_eq!(
        client("192.0.2.0/24", "192.0.2.1", &["198.51.100.1, 203.0.113.9"]),
        "203.0.113.9"
    );
    assert_eq!(
        client("192.0.2.0/24", "192.0.2.1", &["198.51.100.1", "203.0.113.9, 192.0.2.7"]),
        "203.0.113.9"
    );
    assert_eq!(client("192.0.2.0/24", "192.0.2.1", &["nonsense"]), "192.0.2.1");
    assert_eq!(client("192.0.2.0/24", "192.0.2.1", &[]), "192.0.2.1");
}

#[test]
fn hops_may_have_ports_and_brackets() {
    for (hop, expected) in [
        ("203.0.113.9:4711", "203.0.113.9"),
        ("[2001:db8::9]:4711", "2001:db8::9"),
        ("[2001:db8::9]", "2001:db8::9"),
        ("2001:db8::9", "2001:db8::9"),
    ] {
        assert_eq!(client("192.0.2.0/24", "192.0.2.1", &[hop]), expected);
    }
    for nonsense in ["203.0.113.9:", "[203.0.113.9", "[]", "203.0.113.9:x"] {
        assert_eq!(
            client("192.0.2.0/24", "192.0.2.1", &[nonsense]),
            "192.0.2.1",
            "{nonsense}"
        );
    }
}

#[test]
fn neighbours_in_one_ipv6_network_are_one_client() {
    let network = |text: &str| network_of(text.parse().unwrap());
    assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:2"));
    assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
    assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
}
