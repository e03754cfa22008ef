//! The limits of connections.

use std::{net::IpAddr, time::Duration};

use ipnet::IpNet;
use platform::config::Settings;

/// One address may have this part of all connections, and of the memory for heads and bodies.
const PART_OF_ONE_ADDRESS: usize = 4;

const UNREAD_BYTES: usize = 128 * 1024 * 1024;
const HEAD_BYTES: usize = 64 * 1024 * 1024;
const BODY_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// Connections of one client address, unless it is a trusted proxy, behind which many clients are.
    pub per_address: usize,
    pub proxies: Vec<IpNet>,
    /// The bytes of all answers that clients have not taken yet.
    pub unread_bytes: usize,
    /// What all requests in flight may take for their heads and themselves, beside what each connection has for itself; and what
    /// heads may take that are not complete.
    pub head_bytes: usize,
    /// The same for those of one client address, unless it is a trusted proxy: it leaves room for the others.
    pub head_bytes_per_address: usize,
    /// The memory for what clients have sent of bodies, or may send, before somebody reads it, beside what each connection has for
    /// itself.
    pub body_bytes: usize,
    /// The same for those of one client address, unless it is a trusted proxy.
    pub body_bytes_per_address: usize,
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
    /// After this time without a request a connection may be ended for the sake of a new one, and after this time in which it has not
    /// read its answers fast enough for the sake of other answers, where there is no room for both.
    pub at_pressure: Duration,
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
            at_pressure: Duration::from_secs(1),
            rate: 4096,
        }
    }
}

impl TimeLimits {
    /// No limit is shorter, so who looks this often misses none.
    pub fn shortest(&self) -> Duration {
        self.start.min(self.idle).min(self.send)
    }

    /// The time for so many bytes at the lowest rate.
    pub fn at_lowest_rate(&self, bytes: u64) -> Duration {
        Duration::from_secs(bytes / u64::from(self.rate.max(1)))
    }
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            per_address: 10_000,
            proxies: Vec::new(),
            unread_bytes: UNREAD_BYTES,
            head_bytes: HEAD_BYTES,
            head_bytes_per_address: HEAD_BYTES,
            body_bytes: BODY_BYTES,
            body_bytes_per_address: BODY_BYTES,
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
            head_bytes_per_address: HEAD_BYTES / PART_OF_ONE_ADDRESS,
            body_bytes_per_address: BODY_BYTES / PART_OF_ONE_ADDRESS,
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
