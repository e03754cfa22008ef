//! Ids of requests.

use bindery::access::request_context::{REQUEST_ID, RequestIds};
use poem::http::{HeaderMap, HeaderValue};

fn id_for(sent: &[u8]) -> String {
    let mut headers = HeaderMap::new();
    headers.insert(REQUEST_ID, HeaderValue::from_bytes(sent).unwrap());
    RequestIds::new().context(&headers).request_id().to_owned()
}

#[test]
fn ids_of_clients_are_repeated_if_they_are_short_and_visible() {
    assert_eq!(id_for(b"abc-123"), "abc-123");
    assert_eq!(id_for(&[b'a'; 128]), "a".repeat(128));
    for bad in [&[b'a'; 129][..], b"", b"two words", "ü".as_bytes()] {
        assert_eq!(id_for(bad).len(), 18, "{bad:?}");
    }
}

#[test]
fn made_ids_differ() {
    let (ids, other) = (RequestIds::new(), RequestIds::new());
    let made: std::collections::HashSet<_> = (0..1000).flat_map(|_| [ids.make(), other.make()]).collect();
    assert_eq!(made.len(), 2000);
}
