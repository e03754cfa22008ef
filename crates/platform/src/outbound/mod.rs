//! The client for URLs that callers name. It never reaches into private networks on their behalf.
//!
//! A name is resolved once, by the connection itself, and reduced to allowed addresses. So the name cannot point elsewhere
//! between the check and the connection. Redirects are followed one by one, under the same rules.

mod address_policy;
mod client;
mod fetch;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::{Arc, OnceLock},
    time::Duration,
};

use ipnet::IpNet;
use reqwest::{Client, StatusCode};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tracing::{Instrument, Span};
use url::{Host, Url};
use uuid::Uuid;
use wire::shares::Shares;

pub use self::client::of_operator;
pub use self::fetch::{Fetched, IncomingResponse, OutgoingRequest};
use self::{
    address_policy::AddressPolicy,
    fetch::{BodyMemory, Target},
};

/// Concurrent requests of all tenants together.
const CONCURRENCY: usize = 32;

/// Concurrent requests of one tenant, so that slow servers that one names leave room for the others.
const CONCURRENCY_OF_TENANT: usize = 4;

/// Concurrent requests of one user in all tenants together, because a user may create many tenants.
const CONCURRENCY_OF_USER: usize = 8;

/// Bytes of bodies in memory at once.
const MEMORY: usize = 64 * 1024 * 1024;

/// The longest wait for memory, and at most half of the time for the whole.
const MEMORY_WAIT: Duration = Duration::from_secs(5);

/// The longest time of one request, however long its caller would wait.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A URL for logs, traces and audit events: without its query, which may contain secrets.
pub fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// The span of an outgoing request. Of its address only the host: paths of webhooks may be secrets as well.
fn span(method: &str, url: &str) -> Span {
    let url = Url::parse(url).ok();
    tracing::info_span!("outgoing", method, host = url.as_ref().and_then(Url::host_str))
}

/// The limits of one request.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// The size of the body.
    pub bytes: usize,
    pub oversize: Oversize,
    /// The time to the last byte, including redirects and the wait for a permit. The request itself gets ten seconds of
    /// it at most.
    pub time: Duration,
    pub on_behalf: OnBehalf,
}

/// The tenant and the user for whom the server fetches: requests of each wait for one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OnBehalf {
    pub tenant: Uuid,
    /// `None`: a job. Visitors of sites are one user.
    pub user: Option<Uuid>,
}

/// The treatment of a body above the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oversize {
    /// The fetch fails.
    Refuse,
    /// The beginning of the body is fetched.
    Cut,
}

/// Fetches from public and explicitly allowed addresses.
pub struct Outbound {
    policy: Arc<AddressPolicy>,
    client: OnceLock<Client>,
    permits: Semaphore,
    tenants: Shares<Uuid>,
    users: Shares<Uuid>,
    /// A permit for each byte.
    memory: Arc<Semaphore>,
}

impl Outbound {
    /// Creates a client. `allowed` are reserved networks that it may reach.
    pub fn new(allowed: Vec<IpNet>) -> Self {
        Self {
            policy: Arc::new(AddressPolicy::new(allowed)),
            client: OnceLock::new(),
            permits: Semaphore::new(CONCURRENCY),
            tenants: Shares::new(CONCURRENCY_OF_TENANT),
            users: Shares::new(CONCURRENCY_OF_USER),
            memory: Arc::new(Semaphore::new(MEMORY)),
        }
    }

    /// Refuses a URL that cannot be requested as far as its text decides. A name is checked when it is resolved for a request.
    pub fn check(&self, url: &str) -> Result<(), FetchError> {
        let url = Url::parse(url).map_err(|_| FetchError::Invalid)?;
        fetch::check(&self.policy, &url)
    }

    /// Resolves a host to the addresses that may be reached, for a program that connects to nothing else.
    pub async fn resolve(&self, host: &Host, port: u16) -> Result<Vec<IpAddr>, FetchError> {
        let name = host.to_string();
        // Without the brackets of IPv6.
        let name = name.trim_matches(['[', ']']);
        let allowed = timeout(TIME_LIMIT, self.policy.resolve(name, port)).await;
        let allowed = allowed.map_err(|_| FetchError::TooSlow)?;
        let allowed = allowed.map_err(|_| FetchError::Unreachable)?;
        match allowed.is_empty() {
            true => Err(FetchError::Unreachable),
            false => Ok(allowed.iter().map(SocketAddr::ip).collect()),
        }
    }

    /// Fetches `url`, following redirects.
    pub async fn get(&self, url: &str, limits: FetchLimits) -> Result<Fetched, FetchError> {
        let fetched = self.get_if_changed(url, None, limits).await?;
        fetched.ok_or(FetchError::Status(StatusCode::NOT_MODIFIED))
    }

    /// The same, unless what is there still has this entity tag.
    pub async fn get_if_changed(
        &self,
        url: &str,
        tag: Option<&str>,
        limits: FetchLimits,
    ) -> Result<Option<Fetched>, FetchError> {
        let fetch = async {
            let target = Target { url, tag };
            match self.request(target, limits, None).await {
                // Again, with memory for the largest body: requests that wait for it hold none meanwhile.
                Err(FetchError::Busy) => {
                    let all = u32::try_from(limits.bytes.min(MEMORY)).unwrap_or(u32::MAX);
                    let memory = Arc::clone(&self.memory).acquire_many_owned(all);
                    let memory = timeout(MEMORY_WAIT.min(limits.time / 2), memory).await;
                    let memory = memory.map_err(|_| FetchError::Busy)?;
                    self.request(target, limits, memory.ok()).await
                }
                fetched => fetched,
            }
        };
        self.in_turn(limits, fetch).instrument(span("GET", url)).await
    }

    /// Sends a request once. Redirects are not followed, and failures are not tried again.
    pub async fn send(&self, request: OutgoingRequest, limits: FetchLimits) -> Result<IncomingResponse, FetchError> {
        let span = span(request.method.as_str(), &request.url);
        let send = async {
            let memory = BodyMemory {
                free: &self.memory,
                held: None,
            };
            let request = fetch::send(self.client()?, &self.policy, memory, request, limits);
            timeout(TIME_LIMIT, request).await.unwrap_or(Err(FetchError::TooSlow))
        };
        self.in_turn(limits, send).instrument(span).await
    }

    /// Waits for the permits, and for the time of the whole.
    async fn in_turn<T>(
        &self,
        limits: FetchLimits,
        fetch: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let of_user = limits.on_behalf.user.map(|user| self.users.of(user));
        let of_tenant = self.tenants.of(limits.on_behalf.tenant);
        let fetch = async {
            // The semaphores are never closed. That of the user is the first: somebody who waits for their own requests
            // takes no permit that the tenant needs for others.
            let _of_user = match &of_user {
                Some(permits) => permits.acquire().await.ok(),
                None => None,
            };
            let _of_tenant = of_tenant.acquire().await.ok();
            let _permit = self.permits.acquire().await.ok();
            fetch.await
        };
        let fetched = timeout(limits.time, fetch).await;
        fetched.unwrap_or(Err(FetchError::TooSlow))
    }

    /// One attempt, which holds this memory from the beginning.
    async fn request(
        &self,
        target: Target<'_>,
        limits: FetchLimits,
        held: Option<OwnedSemaphorePermit>,
    ) -> Result<Option<Fetched>, FetchError> {
        let memory = BodyMemory {
            free: &self.memory,
            held,
        };
        let request = fetch::get(self.client()?, &self.policy, memory, target, limits);
        timeout(TIME_LIMIT, request).await.unwrap_or(Err(FetchError::TooSlow))
    }

    /// Created at the first use, because most processes do not need it.
    fn client(&self) -> Result<&Client, FetchError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = client::new(Arc::clone(&self.policy)).map_err(FetchError::Client)?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// The reason of a failed fetch. The text completes a sentence that begins with the URL or its member.
#[derive(Debug)]
pub enum FetchError {
    /// Not an HTTP URL, or one with credentials.
    Invalid,
    /// The URL names an address in a network that is not allowed.
    Refused,
    /// Includes names without an allowed address: callers do not learn which names private networks know.
    Unreachable,
    Status(StatusCode),
    TooManyRedirects,
    TooLarge(usize),
    TooSlow,
    /// Other bodies take all the memory for bodies.
    Busy,
    /// The response has a content coding that was not requested.
    Encoded,
    /// The server has no working client.
    Client(anyhow::Error),
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid => f.write_str("must begin with http:// or https:// and contain no user name or password"),
            Self::Refused => f.write_str("is not public; the server does not fetch from private or reserved networks"),
            Self::Unreachable => f.write_str("could not be reached, or is not public"),
            Self::Status(status) => write!(f, "responded with the status {}", status.as_u16()),
            Self::TooManyRedirects => f.write_str("redirects too many times"),
            Self::TooLarge(bytes) => write!(f, "returns more than {bytes} bytes"),
            Self::TooSlow => f.write_str("took too long to respond"),
            Self::Busy => f.write_str("cannot be fetched now, because the server fetches much else"),
            Self::Encoded => f.write_str("responded with a `Content-Encoding` that was not requested"),
            Self::Client(_) => f.write_str("could not be fetched, because the HTTP client of the server does not work"),
        }
    }
}

impl std::error::Error for FetchError {}
