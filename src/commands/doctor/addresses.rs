//! The addresses of the server: what they mean behind a proxy, and whether their names exist.

use std::net::IpAddr;

use anyhow::bail;
use platform::{config::Settings, dns::Dns};
use url::{Host, Url};

use super::Finding;

/// A name of a site that need not exist: the names of all sites lead to one host.
const ANY_SITE: &str = "bindery-doctor";

/// Looks for settings that contradict each other.
pub fn settings(settings: &Settings) -> Finding {
    let url = &settings.public_url;
    let proxies = &settings.trusted_proxies;
    let is_secure = url.scheme() == "https";
    let warning = if proxies.iter().any(|network| network.prefix_len() == 0) {
        "BINDERY_TRUSTED_PROXIES has all addresses: every client can claim any address"
    } else if is_secure && proxies.is_empty() {
        "clients come through a proxy, for the server has no TLS, but BINDERY_TRUSTED_PROXIES is not set: limits of rates \
         and insights take all of them for one"
    } else if !is_secure && !proxies.is_empty() {
        "there is a proxy, but BINDERY_PUBLIC_URL is an http address: cookies of sign-ins are not kept to TLS"
    } else if !settings.listen.ip().is_loopback() && is_of_this_machine(url) {
        "other machines can connect, but BINDERY_PUBLIC_URL leads to their own: set it to the address that they use"
    } else {
        return Finding::Fine(format!("{url} and BINDERY_TRUSTED_PROXIES fit together"));
    };
    Finding::Warning(warning.to_owned())
}

fn is_of_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Looks up the names of the server and of its sites.
pub async fn own_names(settings: &Settings) -> anyhow::Result<Finding> {
    let addresses = [
        Some(settings.public_url.clone()),
        Url::parse(&settings.sites_address().of(ANY_SITE)).ok(),
    ];
    let mut names: Vec<String> = addresses.iter().flatten().filter_map(public_name).collect();
    names.dedup();
    let dns = Dns::new(settings.dns_server);
    let mut found = Vec::new();
    for name in names {
        let addresses = dns.addresses(&name).await;
        match addresses {
            Err(error) => bail!("{name} cannot be looked up: {error}"),
            Ok(addresses) if addresses.is_empty() => {
                bail!("{name} has no address: add a DNS record that leads to this server or its proxy")
            }
            Ok(addresses) => found.push(format!("{name} is at {}", listed(&addresses))),
        }
    }
    if found.is_empty() {
        return Ok(Finding::Fine("no names to look up".to_owned()));
    }
    Ok(Finding::Fine(found.join("; ")))
}

fn public_name(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(name) if !is_of_this_machine(url) => Some(name.to_owned()),
        _ => None,
    }
}

fn listed(addresses: &[IpAddr]) -> String {
    let texts: Vec<_> = addresses.iter().map(IpAddr::to_string).collect();
    texts.join(", ")
}
