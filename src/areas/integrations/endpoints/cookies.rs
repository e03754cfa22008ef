//! Cookies of scripts, which are set for the path of their endpoint and nowhere else.

use poem::http::HeaderValue;

use crate::areas::integrations::running::requests::header_value;

/// The prefix of names that browsers only take for the whole host.
const HOST_PREFIX: &str = "__host-";

/// Attributes that a script may set.
const ATTRIBUTES: [&str; 7] = [
    "expires",
    "max-age",
    "secure",
    "httponly",
    "samesite",
    "partitioned",
    "priority",
];

/// Returns whether a name is one of the cookies of the server itself.
fn is_own(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    let name = name.strip_prefix(HOST_PREFIX).unwrap_or(&name);
    matches!(name, "bindery" | "bindery-sign-in")
}

/// The cookies of a request without those of the server itself. `None`: there are no others.
pub fn without_own(cookies: &str) -> Option<String> {
    let others = cookies
        .split(';')
        .map(str::trim)
        .filter(|cookie| !cookie.is_empty() && !is_own(cookie.split('=').next().unwrap_or_default()));
    let others: Vec<_> = others.collect();
    (!others.is_empty()).then(|| others.join("; "))
}

/// The names and values of cookies.
pub fn parse(cookies: &str) -> impl Iterator<Item = (&str, &str)> {
    let cookies = cookies.split(';').filter_map(|cookie| cookie.split_once('='));
    cookies.map(|(name, value)| (name.trim(), value.trim()))
}

/// A `Set-Cookie` of a script, for a path and what is below it. A longer path of the script is kept. `None`: the cookie cannot be one
/// of this path alone.
pub fn confine(set_cookie: &str, endpoint: &str) -> Option<HeaderValue> {
    let mut parts = set_cookie.split(';').map(str::trim);
    let cookie = parts.next()?;
    let (name, _) = cookie.split_once('=')?;
    if name.is_empty() || is_own(name) || name.to_ascii_lowercase().starts_with(HOST_PREFIX) {
        return None;
    }
    let (mut confined, mut path) = (cookie.to_owned(), endpoint);
    for attribute in parts {
        let (name, value) = attribute.split_once('=').unwrap_or((attribute, ""));
        let name = name.trim().to_ascii_lowercase();
        if ATTRIBUTES.contains(&name.as_str()) {
            confined.push_str("; ");
            confined.push_str(attribute);
        } else if name == "path" && is_below(value.trim(), endpoint) {
            path = value.trim();
        }
    }
    header_value(&format!("{confined}; Path={path}"))
}

fn is_below(path: &str, endpoint: &str) -> bool {
    let rest = path.strip_prefix(endpoint);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
