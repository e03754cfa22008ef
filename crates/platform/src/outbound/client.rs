//! The HTTP client and its resolver.

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context;
use reqwest::{
    Client,
    dns::{Name, Resolve, Resolving},
    redirect,
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};

use super::address_policy::AddressPolicy;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

const USER_AGENT: &str = concat!("bindery/", env!("CARGO_PKG_VERSION"));

/// Creates the client: without proxies, which resolve names themselves; without idle connections, which were checked for
/// another request; without automatic redirects, because each redirect is checked.
pub fn new(policy: Arc<AddressPolicy>) -> anyhow::Result<Client> {
    Client::builder()
        .tls_backend_preconfigured(tls()?)
        .dns_resolver(Resolver(policy))
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECT_TIMEOUT)
        .http1_only()
        .user_agent(USER_AGENT)
        .build()
        .context("cannot create the HTTP client")
}

/// Creates a client for the services that the operator names, which may have private addresses. The answer to a redirect
/// is the redirect, so that keys go nowhere else.
pub fn of_operator() -> anyhow::Result<Client> {
    Client::builder()
        .tls_backend_preconfigured(tls()?)
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .http1_only()
        .user_agent(USER_AGENT)
        .build()
        .context("cannot create the HTTP client")
}

fn tls() -> anyhow::Result<ClientConfig> {
    let roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    Ok(builder
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// The system's resolver, reduced to allowed addresses.
struct Resolver(Arc<AddressPolicy>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = Arc::clone(&self.0);
        Box::pin(async move {
            let allowed = policy.resolve(name.as_str(), 0).await?;
            if allowed.is_empty() {
                return Err(AddressRefused.into());
            }
            Ok(Box::new(allowed.into_iter()) as Box<dyn Iterator<Item = SocketAddr> + Send>)
        })
    }
}

/// The error for a name without an allowed address.
#[derive(Debug)]
struct AddressRefused;

impl fmt::Display for AddressRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name resolves to no public address")
    }
}

impl std::error::Error for AddressRefused {}
