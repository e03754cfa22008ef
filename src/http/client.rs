//! The client address of a request, behind trusted proxies.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;
use poem::{Addr, Request, http::HeaderMap};

pub const FORWARDED_FOR: &str = "x-forwarded-for";

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
    pub fn behind(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
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
