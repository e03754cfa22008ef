//! Byte ranges: one range per request. A request with several ranges or an invalid range gets the whole file.

use std::ops::Range;

use poem::http::{HeaderMap, HeaderValue, header};

#[derive(Debug, PartialEq, Eq)]
pub enum RequestedRange {
    Whole,
    Part(Range<u64>),
    /// The range lies outside of the file.
    Unsatisfiable,
}

pub fn requested_range(request: &HeaderMap, etag: &HeaderValue, size: u64) -> RequestedRange {
    let Some(range) = request.get(header::RANGE).and_then(|range| range.to_str().ok()) else {
        return RequestedRange::Whole;
    };
    // The client may have the beginning of another version.
    if request.get(header::IF_RANGE).is_some_and(|known| known != etag) {
        return RequestedRange::Whole;
    }
    read(range, size).unwrap_or(RequestedRange::Whole)
}

fn read(range: &str, size: u64) -> Option<RequestedRange> {
    let (unit, range) = range.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") || range.contains(',') {
        return None;
    }
    let (first, last) = range.trim().split_once('-')?;
    let range = match (first, last) {
        ("", length) => size.saturating_sub(number(length)?)..size,
        (first, "") => number(first)?..size,
        (first, last) => {
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return None;
            }
            first..last.saturating_add(1).min(size)
        }
    };
    Some(if range.is_empty() {
        RequestedRange::Unsatisfiable
    } else {
        RequestedRange::Part(range)
    })
}

/// Parses a number; larger ones than `u64` become the maximum.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
