//! Checks of the DNS records of hostnames.

use entity::{ids::OrganizationId, publishing::sites::custom_hostnames::CustomHostnameStatus as Status};
use platform::dns::DnsError;

use crate::kernel::{Kernel, dns_proof::names_organization};

/// The longest name that the DNS has.
const MAX_NAME: usize = 253;

/// Looks up the records of a hostname: where it leads, and whether its owner names the organization. Without the second one,
/// whoever claims first would get a name that leads here already.
pub async fn check(kernel: &Kernel, hostname: &str, organization: OrganizationId) -> Status {
    if hostname.len() > MAX_NAME || kernel.urls.is_own_host(hostname) {
        return Status::InvalidDomain;
    }
    match records(kernel, hostname, organization).await {
        Ok(status) => status,
        Err(error) => {
            tracing::debug!(hostname, %error, "the DNS records of a hostname cannot be looked up");
            Status::InternalError
        }
    }
}

async fn records(kernel: &Kernel, hostname: &str, organization: OrganizationId) -> Result<Status, DnsError> {
    let Some(alias) = kernel.dns.alias(hostname).await? else {
        return Ok(Status::DnsNoCname);
    };
    if !kernel.urls.sites().is_served_at(&alias) {
        return Ok(Status::DnsWrongCname);
    }
    Ok(match names_organization(&kernel.dns, hostname, organization).await? {
        true => Status::Live,
        false => Status::DnsPassed,
    })
}

/// What is wrong, for people.
pub fn explain(kernel: &Kernel, hostname: &str, organization: OrganizationId, status: Status) -> String {
    let host = kernel.urls.sites().host().unwrap_or_default();
    match status {
        Status::DnsNoCname => format!("{hostname} has no CNAME record. It has to lead to {host}."),
        Status::DnsWrongCname => format!("The CNAME record of {hostname} does not lead to {host}."),
        Status::DnsPassed => {
            format!("_bindery.{hostname} has no TXT record with the content organization={organization}.")
        }
        Status::InvalidDomain => format!("{hostname} is a hostname of the server itself, or too long."),
        _ => format!("The DNS records of {hostname} could not be looked up."),
    }
}
