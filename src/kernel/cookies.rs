//! Cookies of requests.

use poem::{Request, http::header};

/// The only cookie of a name.
pub fn cookie<'r>(request: &'r Request, name: &str, max_length: usize) -> Option<&'r str> {
    let headers = request.headers().get_all(header::COOKIE).iter();
    let cookies = headers
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'));
    let mut values = cookies.filter_map(|cookie| {
        let (key, value) = cookie.trim().split_once('=')?;
        (key == name).then_some(value)
    });
    let value = values.next()?;
    (values.next().is_none() && !value.is_empty() && value.len() <= max_length).then_some(value)
}
