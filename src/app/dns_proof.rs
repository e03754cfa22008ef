//! The DNS record with which the owner of a domain names an organization.

use entity::ids::OrganizationId;
use platform::dns::{Dns, DnsError};

/// Returns whether a TXT record below the domain name names the organization.
pub async fn names_organization(dns: &Dns, domain: &str, organization: OrganizationId) -> Result<bool, DnsError> {
    let wanted = format!("organization={organization}");
    let texts = dns.texts(&format!("_bindery.{domain}")).await?;
    Ok(texts.iter().any(|text| text.trim() == wanted))
}
