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
