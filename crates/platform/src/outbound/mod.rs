//! The one way by which the server fetches what others name: it never reaches into private networks for them.
//!
//! A name is resolved once, by the connection itself, and only addresses that may be reached are left for it; so there
//! is no moment between looking and connecting in which the name could point elsewhere. Redirects are followed here, one
//! by one, under the same rules.

mod addresses;
mod client;
mod fetching;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::Duration,
};

use ipnet::IpNet;
use reqwest::{Client, StatusCode};
use tokio::sync::Semaphore;

pub use self::{addresses::Addresses, fetching::Fetched};

/// Requests at once, of all callers together: what they fetch is in memory.
const AT_ONCE: usize = 8;

/// What one request may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Of the body.
    pub bytes: usize,
    /// From the beginning to the last byte, redirects and waiting for others included.
    pub time: Duration,
}

/// Fetches from addresses that anybody could have reached.
pub struct Outbound {
    addresses: Arc<Addresses>,
    client: OnceLock<Client>,
    permits: Semaphore,
}

impl Outbound {
    /// `allowed` are networks that may be reached although they are reserved.
    pub fn new(allowed: Vec<IpNet>) -> Self {
        Self {
            addresses: Arc::new(Addresses::new(allowed)),
            client: OnceLock::new(),
            permits: Semaphore::new(AT_ONCE),
        }
    }

    /// What `url` gives, following redirects.
    pub async fn get(&self, url: &str, limits: Limits) -> Result<Fetched, FetchError> {
        let fetching = async {
            // Never closed.
            let _permit = self.permits.acquire().await.ok();
            fetching::get(self.client()?, &self.addresses, url, limits.bytes).await
        };
        let fetched = tokio::time::timeout(limits.time, fetching).await;
        fetched.unwrap_or(Err(FetchError::TooSlow))
    }

    /// Made by the first use: most processes have none.
    fn client(&self) -> Result<&Client, FetchError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = client::new(Arc::clone(&self.addresses)).map_err(FetchError::Client)?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// Why something could not be fetched, as the end of a sentence: "The address …".
#[derive(Debug)]
pub enum FetchError {
    /// It is no address of the web.
    Invalid,
    /// It lies in a network that may not be reached.
    Refused,
    Unreachable,
    Status(StatusCode),
    TooManyRedirects,
    TooLarge(usize),
    TooSlow,
    /// The answer is compressed, although that was not asked for.
    Encoded,
    /// This server cannot fetch anything.
    Client(anyhow::Error),
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid => f.write_str("has to begin with http:// or https://, and to hold no password"),
            Self::Refused => f.write_str("is not public: the server does not fetch from private and reserved networks"),
            Self::Unreachable => f.write_str("could not be reached"),
            Self::Status(status) => write!(f, "answered with the status {}", status.as_u16()),
            Self::TooManyRedirects => f.write_str("redirects too often"),
            Self::TooLarge(bytes) => write!(f, "gives more than {bytes} bytes"),
            Self::TooSlow => f.write_str("took too long to answer"),
            Self::Encoded => f.write_str("answered with a `Content-Encoding` that was not asked for"),
            Self::Client(_) => f.write_str("could not be fetched: the server has no working client"),
        }
    }
}

impl std::error::Error for FetchError {}
