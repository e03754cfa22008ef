//! Which part of a file a request asks for.

use bindery::http::files::ranges::{RequestedRange, requested_range};
use poem::http::{HeaderMap, HeaderValue, header};

fn of(range: &str, size: u64) -> RequestedRange {
    let headers = HeaderMap::from_iter([(header::RANGE, HeaderValue::from_str(range).unwrap())]);
    requested_range(&headers, &HeaderValue::from_static("\"tag\""), size)
}

#[test]
fn ranges_lie_within_the_file() {
    for (range, part) in [
        ("bytes=0-0", 0..1),
        ("bytes=2-5", 2..6),
        ("bytes=2-", 2..10),
        ("bytes=-3", 7..10),
        ("bytes=-99", 0..10),
        ("bytes=9-99999999999999999999999", 9..10),
        ("BYTES= 1-1", 1..2),
    ] {
        assert_eq!(of(range, 10), RequestedRange::Part(part), "{range}");
    }
    for range in ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=99999999999999999999999-"] {
        assert_eq!(of(range, 10), RequestedRange::Unsatisfiable, "{range}");
    }
    assert_eq!(of("bytes=0-", 0), RequestedRange::Unsatisfiable);
    assert_eq!(of("bytes=-1", 0), RequestedRange::Unsatisfiable);
}

#[test]
fn anything_but_a_single_range_is_the_whole_file() {
    for range in [
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=a-b",
        "bytes=3-2",
        "bytes=0-1,4-5",
        "pages=1-2",
        "bytes=+1-2",
    ] {
        assert_eq!(of(range, 10), RequestedRange::Whole, "{range}");
    }
}

#[test]
fn a_range_requires_the_same_version() {
    let tag = HeaderValue::from_static("\"tag\"");
    for (known, part) in [
        ("\"tag\"", true),
        ("W/\"tag\"", false),
        ("\"other\"", false),
        ("Sat, 21 Nov 2026 12:00:00 GMT", false),
    ] {
        let headers = HeaderMap::from_iter([
            (header::RANGE, HeaderValue::from_static("bytes=1-")),
            (header::IF_RANGE, HeaderValue::from_static(known)),
        ]);
        assert_eq!(
            requested_range(&headers, &tag, 10) == RequestedRange::Part(1..10),
            part,
            "{known}"
        );
    }
}
