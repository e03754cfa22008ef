//! The string formats of the contract. The generator and the running service share this file, and both give it
//! to the JSON Schema validator, so that one format cannot mean two things.

use jsonschema::{Keyword, ValidationError, ValidationOptions};
use serde_json::Value;

/// The keyword of texts that hide nothing beyond U+FFFF, where patterns do not reach.
pub const VISIBLE: &str = "x-visible";

/// Returns whether a text is an address of the URL standard, as browsers have them, with `[`, `|` or a lone `%` in it, or a URI of
/// RFC 3986. What a browser would change before it used the address is refused: spaces, and backslashes for slashes.
pub fn is_uri(text: &str) -> bool {
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let is_plain = !text.contains(|c: char| c.is_whitespace() || c.is_control()) && !path.contains('\\');
    is_plain && (url::Url::parse(text).is_ok() || fluent_uri::Uri::parse(text).is_ok())
}

/// An address to which mail goes without extensions of the protocol. `validator` also takes domains beyond ASCII, which are written in
/// several forms, IP addresses in place of domains, and dots that are not between other characters.
pub fn is_email(text: &str) -> bool {
    let (local, domain) = text.rsplit_once('@').unwrap_or_default();
    text.is_ascii()
        && !domain.starts_with('[')
        && local.split('.').all(|part| !part.is_empty())
        && validator::ValidateEmail::validate_email(&text)
}

pub fn is_date_time(text: &str) -> bool {
    chrono::DateTime::parse_from_rfc3339(text).is_ok()
}

/// Returns whether each variation selector and each tag beyond U+FFFF follows a visible character, which it changes, and whether
/// the text is free of the invisible signs of musical notation and of the language tag.
pub fn is_visible(text: &str) -> bool {
    let mut follows_visible = false;
    text.chars().all(|c| match c {
        '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}' => follows_visible,
        '\u{1d173}'..='\u{1d17a}' | '\u{e0001}' => false,
        // They may stand between a character and a tag.
        '\u{fe00}'..='\u{fe0f}' => true,
        other => {
            follows_visible = !other.is_whitespace() && !matches!(other, '\u{2800}' | '\u{200c}'..='\u{200f}');
            true
        }
    })
}

struct Visible;

impl<'i> Keyword<'i> for Visible {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        match self.is_valid(instance) {
            true => Ok(()),
            false => Err(ValidationError::custom("the text has a character that shows nothing")),
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        instance.as_str().is_none_or(is_visible)
    }
}

pub fn register(options: ValidationOptions<'_>) -> ValidationOptions<'_> {
    options
        .should_validate_formats(true)
        .with_format("uri", is_uri)
        .with_format("email", is_email)
        .with_format("date-time", is_date_time)
        .with_keyword(VISIBLE, |_, _, _| Ok(Box::new(Visible)))
}
