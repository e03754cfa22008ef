//! Addresses without brackets. The parser knows punctuation of ASCII only, and takes text of other scripts for a part of them.

use super::scripts::is_cjk;

/// The parser looks for white space behind each address: it does so for this many times the bytes of a line at most. What
/// follows belongs to the last address.
const MAX_SCAN_FACTOR: usize = 64;

const SCHEMES: [&str; 3] = ["http", "https", "ftp"];

/// Returns the offsets at which addresses in a line end, where the parser would go on.
pub fn ends(line: &str) -> Vec<usize> {
    if line.is_ascii() {
        return Vec::new();
    }
    let with_scheme = line.match_indices("://").filter_map(|(at, sign)| {
        let before = line.get(..at)?;
        let start = before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
        let scheme = before.get(start..)?;
        let is_known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
        is_known.then_some((start, at + sign.len()))
    });
    let without = line.match_indices("www.").map(|(at, sign)| (at, at + sign.len()));
    let mut starts: Vec<(usize, usize)> = with_scheme.chain(without).collect();
    starts.sort_unstable();
    let (mut ends, mut done) = (Vec::new(), 0);
    let mut budget = line.len().saturating_mul(MAX_SCAN_FACTOR);
    for (start, inner) in starts {
        let before = line.get(..start).and_then(|before| before.chars().next_back());
        // An address in angle brackets, or the value of an attribute.
        if start < done || matches!(before, Some('<' | '=')) {
            continue;
        }
        let (end, is_early) = end_of(line, inner);
        done = end;
        if is_early {
            let rest = line.get(inner..).unwrap_or_default();
            let scanned = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
            budget = match budget.checked_sub(scanned) {
                Some(left) => left,
                None => return ends,
            };
            ends.push(end);
        }
    }
    ends
}

/// Returns the end of an address, and whether the parser would go on there.
fn end_of(line: &str, inner: usize) -> (usize, bool) {
    let mut before = '/';
    for (at, c) in line.get(inner..).unwrap_or_default().char_indices() {
        if c.is_ascii_whitespace() || c == '<' {
            return (inner + at, false);
        }
        // A letter may begin a part of a path, but goes not on with one of ASCII.
        let is_outside = match c {
            '“' | '”' | '…' | '—' => true,
            c if is_cjk(c) => !c.is_alphanumeric() || before.is_ascii_alphanumeric(),
            _ => false,
        };
        if is_outside {
            return (inner + at, true);
        }
        before = c;
    }
    (line.len(), false)
}
