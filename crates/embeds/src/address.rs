//! Addresses in what strangers write.

use url::Url;

/// The maximum length of an address.
const MAX_LENGTH: usize = 2048;

/// The address, if it is one of the web, short enough and without a user name and a password.
pub fn of_the_web(url: Url) -> Option<Url> {
    let is_plain = matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
    (is_plain && url.as_str().len() <= MAX_LENGTH).then_some(url)
}
