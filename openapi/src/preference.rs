//! The preference of a request for an answer without a body (RFC 7240).

use poem::{
    Response,
    http::{HeaderMap, HeaderValue, StatusCode, header},
};

const PREFER: &str = "prefer";
const APPLIED: &str = "preference-applied";

/// Returns whether a request prefers an answer without a body. The first `return` counts.
pub fn is_minimal(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(PREFER).into_iter();
    let mut preferences = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','));
    let preferred = preferences.find_map(|preference| {
        // What follows is a parameter, and `return` has none.
        let (name, value) = preference.split(';').next()?.split_once('=')?;
        let is_return = name.trim().eq_ignore_ascii_case("return");
        is_return.then(|| value.trim().trim_matches('"'))
    });
    preferred == Some("minimal")
}

/// Leaves the body out of the answer to a success.
pub fn apply(response: &mut Response) {
    if !response.status().is_success() {
        return;
    }
    response.set_status(StatusCode::NO_CONTENT);
    response.set_body(());
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_TYPE);
    headers.insert(APPLIED, HeaderValue::from_static("return=minimal"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_return_counts() {
        for (lists, expected) in [
            (&["return=minimal"][..], true),
            (&["Return = \"minimal\"; x=y"], true),
            (&["respond-async, wait=10, return=minimal"], true),
            (&["respond-async", "return=minimal"], true),
            (&["return=representation, return=minimal"], false),
            (&["return=minimals"], false),
            (&["minimal", "return"], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for list in lists.iter().copied() {
                headers.append(PREFER, HeaderValue::from_static(list));
            }
            assert_eq!(is_minimal(&headers), expected, "{lists:?}");
        }
    }
}
