//! The DNS record with which the owner of a domain names an organization.

use chrono::TimeDelta;
use entity::{ids::OrganizationId, timestamp::Timestamp};
use futures_util::{StreamExt, stream};
use platform::dns::{Dns, DnsError};

/// Names that are looked up before the results are stored.
pub const BATCH: u64 = 64;

/// Lookups at once.
const CONCURRENCY: usize = 8;

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

/// Looks up the records of all, in any order.
pub async fn look_up_all<T, R, F: Future<Output = R>>(all: Vec<T>, look_up: impl Fn(T) -> F) -> Vec<R> {
    stream::iter(all)
        .map(look_up)
        .buffer_unordered(CONCURRENCY)
        .collect()
        .await
}

/// The time of the next lookup of records that were not right. `None`: they are not looked up any more.
pub fn next_lookup(asked_at: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let age = now.to_utc() - asked_at.to_utc();
    (age < PATIENCE).then(|| now.plus(age.clamp(SHORTEST_WAIT, LONGEST_WAIT)))
}
