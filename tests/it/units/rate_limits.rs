//! How many requests a sender has left.

use std::{num::NonZeroU32, time::Duration};

use bindery::http::limits::{LIMIT, LOOKUP, REMAINING, REQUEST, RESET, RateLimits, SWEEP_AFTER, Standing};
use platform::config::RateLimit;
use poem::http::{HeaderMap, header};

fn limits(requests: u32, per: Duration) -> RateLimits {
    RateLimits::new(RateLimit {
        requests: NonZeroU32::new(requests).unwrap(),
        per,
    })
    .unwrap()
}

fn headers(limits: &RateLimits, standing: Standing) -> [String; 4] {
    let mut headers = HeaderMap::new();
    limits.announce(standing, &mut headers);
    [LIMIT, REMAINING, RESET, header::RETRY_AFTER].map(|name| {
        headers
            .get(name)
            .map_or(String::new(), |value| value.to_str().unwrap().to_owned())
    })
}

#[test]
fn each_sender_has_the_full_number() {
    let limits = limits(2, Duration::from_secs(3600));
    assert!(!limits.count(1, None, REQUEST).refused());
    let second = limits.count(1, None, REQUEST);
    assert_eq!(headers(&limits, second), ["2", "0", "3600", ""]);
    let third = limits.count(1, None, REQUEST);
    assert!(third.refused());
    assert_eq!(headers(&limits, third), ["2", "0", "3600", "1800"]);
    assert!(!limits.count(2, None, REQUEST).refused());
}

#[test]
fn a_token_is_limited_on_all_addresses_together() {
    let limits = limits(2, Duration::from_secs(3600));
    assert!(!limits.count(1, Some(b"token"), REQUEST).refused());
    assert_eq!(limits.count(2, Some(b"token"), REQUEST).remaining, 0);
    assert!(limits.count(3, Some(b"token"), REQUEST).refused());
    assert!(!limits.count(3, Some(b"another"), REQUEST).refused());
}

#[test]
fn ten_lookups_count_as_one_request() {
    let limits = limits(2, Duration::from_secs(3600));
    let standings: Vec<_> = (0..10).map(|_| limits.count(1, Some(b"token"), LOOKUP)).collect();
    assert_eq!(headers(&limits, standings[0]), ["2", "1", "180", ""]);
    assert_eq!(headers(&limits, standings[9]), ["2", "1", "1800", ""]);
    let request = limits.count(1, Some(b"token"), REQUEST);
    assert_eq!(headers(&limits, request), ["2", "0", "3600", ""]);
    let refused = limits.count(1, Some(b"token"), LOOKUP);
    assert_eq!(headers(&limits, refused), ["2", "0", "3600", "180"]);
}

#[test]
fn idle_senders_are_removed() {
    let limits = limits(1_000_000, Duration::from_secs(1));
    for address in 0..SWEEP_AFTER as u128 * 3 {
        limits.count(address, Some(&address.to_le_bytes()), REQUEST);
    }
    assert!(limits.addresses.len() <= SWEEP_AFTER * 2, "{}", limits.addresses.len());
    assert!(limits.tokens.len() <= SWEEP_AFTER * 2, "{}", limits.tokens.len());
}
