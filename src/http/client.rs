//! The client address of a request, behind trusted proxies.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;
use poem::{Addr, Request, http::HeaderMap};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// The networks of the proxies whose `X-Forwarded-For` is trusted.
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    pub fn new(networks: &[IpNet]) -> Self {
        Self(networks.to_vec())
    }

    pub fn client(&self, request: &Request) -> IpAddr {
        match request.remote_addr().0 {
            Addr::SocketAddr(peer) => self.behind(peer.ip().to_canonical(), request.headers()),
            _ => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        }
    }

    /// Returns the last address of the forwarding chain that is not a trusted proxy.
    fn behind(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer;
        for value in headers.get_all(FORWARDED_FOR).iter().rev() {
            for hop in value.to_str().unwrap_or_default().rsplit(',') {
                if !self.trusts(client) {
                    return client;
                }
                match address_of(hop.trim()) {
                    Some(address) => client = address.to_canonical(),
                    None => return client,
                }
            }
        }
        client
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// Returns the address of a hop, which some proxies write with a port, and IPv6 in brackets.
fn address_of(hop: &str) -> Option<IpAddr> {
    let bare = hop
        .strip_prefix('[')
        .and_then(|hop| hop.strip_suffix(']'))
        .unwrap_or(hop);
    let address = bare.parse::<IpAddr>().ok();
    address.or_else(|| hop.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// Returns the key of a client for rate limits: the IPv4 address, or the /64 network of an IPv6 address.
pub fn network_of(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits() & !u128::from(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
