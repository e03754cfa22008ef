//! Addresses in pages, sitemaps and style sheets that are made already, for where pages become files.

use crate::html::escape;

/// The text before an address, and the character after it. Texts do not contain it, because their quotes and angle brackets are escaped.
const BEGINS: [(&str, char); 5] = [
    (" href=\"", '"'),
    (" src=\"", '"'),
    (" action=\"", '"'),
    (" data-index=\"", '"'),
    ("<loc>", '<'),
];

/// Puts other addresses in the places of those in a page or a sitemap. `None`: the address stays as it is.
pub fn map_addresses(text: &str, map: impl FnMut(&str) -> Option<String>) -> String {
    replaced(text, &BEGINS, map)
}

/// The same for a style sheet of this crate.
pub fn map_style_addresses(text: &str, map: impl FnMut(&str) -> Option<String>) -> String {
    replaced(text, &[("url(\"", '"')], map)
}

/// The same for addresses with this beginning in any text. They end before the first character that stored files do not have there.
pub fn map_beginning(text: &str, begin: &str, mut map: impl FnMut(&str) -> Option<String>) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.find(begin).and_then(|at| rest.split_at_checked(at)) {
        let is_of_address = |c: char| c.is_ascii_alphanumeric() || "/%?=._-:".contains(c);
        let end = from.find(|c| !is_of_address(c)).unwrap_or(from.len());
        let (address, after) = from.split_at_checked(end).unwrap_or((from, ""));
        made.push_str(before);
        made.push_str(&map(address).unwrap_or_else(|| address.to_owned()));
        rest = after;
    }
    made.push_str(rest);
    made
}

fn replaced(text: &str, begins: &[(&str, char)], mut map: impl FnMut(&str) -> Option<String>) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, address, after)) = next(rest, begins) {
        made.push_str(before);
        match map(&unescaped(address)) {
            Some(other) => escape(&other, &mut made),
            None => made.push_str(address),
        }
        rest = after;
    }
    made.push_str(rest);
    made
}

/// The next address, with the text before and after it.
fn next<'t>(text: &'t str, begins: &[(&str, char)]) -> Option<(&'t str, &'t str, &'t str)> {
    let address = |(at, _): (usize, &'t str)| {
        let (before, from) = text.split_at_checked(at + 1)?;
        let (_, end) = begins.iter().find(|(begin, _)| before.ends_with(begin))?;
        let (address, after) = from.split_at_checked(from.find(*end)?)?;
        Some((before, address, after))
    };
    text.match_indices(['"', '>']).find_map(address)
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&amp;", "&")
}
