//! Sources that match a path, and addresses with what a wildcard stands for.

use std::iter::once;

use entity::publishing::sites::redirects::Model;
use percent_encoding::{CONTROLS, percent_decode_str, percent_encode_byte, utf8_percent_encode};

/// The number of redirects that a path is led through at most.
pub const MAX_STEPS: usize = 8;
const MAX_SOURCE_LENGTH: usize = 512;

/// Returns the one form of all equal paths, in which sources are stored, compared and looked up (RFC 3986, section 6.2.2):
/// hex digits in upper case, and no unreserved character encoded.
pub fn normal_form(path: &str) -> String {
    let mut normal = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('%') {
        normal.extend(utf8_percent_encode(before, CONTROLS));
        let digits = after
            .get(..2)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if is_unreserved(byte) => normal.push(char::from(byte)),
            Some(byte) => normal.push_str(percent_encode_byte(byte)),
            None => normal.push('%'),
        }
        rest = digits
            .map_or(Some(after), |digits| after.strip_prefix(digits))
            .unwrap_or_default();
    }
    normal.extend(utf8_percent_encode(rest, CONTROLS));
    normal
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// The sources that match a path in its normal form, the most specific first: the path itself, then ever shorter wildcards.
pub fn sources_of(path: &str) -> impl Iterator<Item = String> {
    let ends = path.char_indices().rev();
    let ends = ends.map(|(start, character)| start.saturating_add(character.len_utf8()));
    // A wildcard is no source of a whole site: a character comes before it, besides the slash.
    let ends = ends.filter(|end| (2..MAX_SOURCE_LENGTH).contains(end));
    let wildcards = ends.filter_map(|end| path.get(..end).map(|start| format!("{start}*")));
    once(path.to_owned()).chain(wildcards)
}

pub fn has_wildcard(source: &str) -> bool {
    source.ends_with('*')
}

/// A path that a source matches, for trying out where it leads.
pub fn sample(source: &str) -> String {
    match source.strip_suffix('*') {
        Some(start) => format!("{start}-"),
        None => source.to_owned(),
    }
}

/// Returns whether a redirect whose source matches a path can lead on from it. Parent folders in what is appended would lead
/// out of the destination.
pub fn is_usable(redirect: &Model, path: &str) -> bool {
    !redirect.capture_wildcard || !leads_up(captured(&redirect.source, path))
}

/// Returns whether a path has the names of parent folders, however often it is encoded: servers decode differently.
fn leads_up(path: &str) -> bool {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let is_parent = |segment: &str| matches!(segment, "." | "..");
    decoded.split(['/', '\\']).any(is_parent) || (decoded != path && leads_up(&decoded))
}

/// What a redirect appends to its destination: what the wildcard stands for, if the redirect asks for it.
pub fn appended<'p>(redirect: &Model, path: &'p str) -> &'p str {
    match redirect.capture_wildcard {
        true => captured(&redirect.source, path).trim_start_matches('/'),
        false => "",
    }
}

/// An address or a path with a rest at the end of its path.
pub fn below(address: &str, rest: &str) -> String {
    if rest.is_empty() {
        return address.to_owned();
    }
    let (start, end) = split_path(address);
    format!("{}/{rest}{end}", start.trim_end_matches('/'))
}

/// The path of an address in a site, in the normal form of sources. `None`: the address is that of the site, or not in it.
pub fn path_in_site(site: &str, address: &str) -> Option<String> {
    let (start, _) = split_path(address.strip_prefix(site)?);
    let path = start.trim_matches('/');
    (!path.is_empty()).then(|| normal_form(&format!("/{path}")))
}

/// What the wildcard of a source stands for in a path.
fn captured<'p>(source: &str, path: &'p str) -> &'p str {
    let start = source.strip_suffix('*').filter(|_| source != path);
    start.and_then(|start| path.strip_prefix(start)).unwrap_or_default()
}

/// An address up to its path, and its query and fragment.
fn split_path(address: &str) -> (&str, &str) {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    address.split_at_checked(end).unwrap_or((address, ""))
}
