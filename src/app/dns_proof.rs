//! The DNS record with which the owner of a domain names an organization.

use chrono::TimeDelta;
use entity::{ids::OrganizationId, timestamp::Timestamp};
use platform::dns::{Dns, DnsError};

/// Records are looked for this long after somebody asked for it; asking again starts anew.
const PATIENCE: TimeDelta = TimeDelta::days(3);

/// Bounds of the time between two lookups, which grows with the time since somebody asked.
const SHORTEST_WAIT: TimeDelta = TimeDelta::minutes(1);
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(6);

/// Returns whether a TXT record below the domain name names the organization.
pub async fn names_organization(dns: &Dns, domain: &str, organization: OrganizationId) -> Result<bool, DnsError> {
    let wanted = format!("organization={organization}");
    let texts = dns.texts(&format!("_bindery.{domain}")).await?;
    Ok(texts.iter().any(|text| text.trim() == wanted))
}

/// The time of the next lookup of records that were not right. `None`: they are not looked up any more.
pub fn next_lookup(asked_at: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let age = now.to_utc() - asked_at.to_utc();
    (age < PATIENCE).then(|| now.plus(age.clamp(SHORTEST_WAIT, LONGEST_WAIT)))
}
