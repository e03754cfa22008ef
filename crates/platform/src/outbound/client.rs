//! The client, and how it resolves names.

use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context;
use reqwest::{
    Client,
    dns::{Name, Resolve, Resolving},
    redirect,
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};

use super::addresses::Addresses;

const CONNECT_TIME: Duration = Duration::from_secs(5);

const USER_AGENT: &str = concat!("bindery/", env!("CARGO_PKG_VERSION"));

/// No proxies, which would resolve names by themselves; no connections kept, which were checked for another request; no
/// redirects, which are followed under our rules.
pub fn new(addresses: Arc<Addresses>) -> anyhow::Result<Client> {
    Client::builder()
        .tls_backend_preconfigured(tls()?)
        .dns_resolver(Resolver(addresses))
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECT_TIME)
        .http1_only()
        .user_agent(USER_AGENT)
        .build()
        .context("the client cannot be made")
}

fn tls() -> anyhow::Result<ClientConfig> {
    let roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    Ok(builder
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// Resolves with the system, and leaves only addresses that may be reached.
struct Resolver(Arc<Addresses>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let addresses = Arc::clone(&self.0);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.filter(|found| addresses.may_reach(found.ip())).collect();
            if found.is_empty() {
                return Err(Refused.into());
            }
            Ok(Box::new(found.into_iter()) as Box<dyn Iterator<Item = SocketAddr> + Send>)
        })
    }
}

/// None of the addresses of a name may be reached.
#[derive(Debug)]
pub struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name has no public address")
    }
}

impl std::error::Error for Refused {}
