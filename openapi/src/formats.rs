//! The string formats of the contract. The generator and the running service share this file, and both give it
//! to the JSON Schema validator, so that one format cannot mean two things.

use jsonschema::ValidationOptions;

pub fn is_uri(text: &str) -> bool {
    fluent_uri::Uri::parse(text).is_ok()
}

pub fn is_email(text: &str) -> bool {
    validator::ValidateEmail::validate_email(&text)
}

pub fn is_date_time(text: &str) -> bool {
    chrono::DateTime::parse_from_rfc3339(text).is_ok()
}

pub fn register(options: ValidationOptions<'_>) -> ValidationOptions<'_> {
    options
        .should_validate_formats(true)
        .with_format("uri", is_uri)
        .with_format("email", is_email)
        .with_format("date-time", is_date_time)
}
