//! The limits of connections.

use std::{net::IpAddr, time::Duration};

use ipnet::IpNet;
use platform::config::Settings;

/// One address may have this part of all connections.
const PART_OF_ONE_ADDRESS: usize = 4;

/// Requests that are worked on at once, with those whose answers are not taken yet: each has a head of up to 32 KiB, and up to 128
/// KiB of a body that waits. More are refused.
const REQUESTS: usize = 2048;

#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// Connections of one client address, unless it is a trusted proxy, behind which many clients are.
    pub per_address: usize,
    /// Requests at once, of all connections together.
    pub requests: usize,
    /// The same of one client address, unless it is a trusted proxy.
    pub requests_per_address: usize,
    pub proxies: Vec<IpNet>,
    /// The time for the last requests to finish.
    pub grace: Duration,
    pub times: TimeLimits,
}

/// How long a client may keep the server waiting.
#[derive(Debug, Clone, Copy)]
pub struct TimeLimits {
    /// From the beginning of a connection to its first whole request: the head, or the start of HTTP/2.
    pub start: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// Between two bytes of a request body.
    pub receive: Duration,
    /// Between two bytes of an answer.
    pub send: Duration,
    /// For the rest of a request, its head or its body, once the server stops.
    pub receive_at_stop: Duration,
    /// Bytes each second that a body has to make on average, after the time for one byte.
    pub rate: u32,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            receive: Duration::from_secs(10),
            send: Duration::from_secs(30),
            receive_at_stop: Duration::from_secs(1),
            rate: 4096,
        }
    }
}

impl TimeLimits {
    /// No limit of a connection is shorter, so who looks this often misses none.
    pub fn shortest(&self) -> Duration {
        self.start.min(self.idle).min(self.send)
    }
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            per_address: 10_000,
            requests: REQUESTS,
            requests_per_address: REQUESTS,
            proxies: Vec::new(),
            grace: Duration::from_secs(30),
            times: TimeLimits::default(),
        }
    }
}

impl From<&Settings> for ConnectionLimits {
    fn from(settings: &Settings) -> Self {
        Self {
            connections: settings.max_connections,
            per_address: settings.max_connections.div_ceil(PART_OF_ONE_ADDRESS),
            requests_per_address: REQUESTS / 2,
            proxies: settings.trusted_proxies.clone(),
            grace: settings.shutdown_grace,
            ..Self::default()
        }
    }
}

impl ConnectionLimits {
    /// Returns whether many clients share this address.
    pub fn shares_address(&self, address: IpAddr) -> bool {
        self.proxies.iter().any(|network| network.contains(&address))
    }
}
