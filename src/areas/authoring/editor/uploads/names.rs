//! Names of files that are safe in URLs, headers and file systems, and that do not mislead people.

use openapi::{models::texts::FILE_NAME, rules::BrokenRule};

const MAX_EXTENSION: usize = 16;

/// Refuses an invalid name with the reason.
pub fn check(name: &str) -> Result<(), &'static str> {
    FILE_NAME.check(name).map_err(|broken| match broken {
        BrokenRule::MaxLength(_) => "The file name is too long.",
        BrokenRule::MinLength(_) => "The file name is empty.",
        _ => "The file name contains invisible characters.",
    })?;
    if name.contains(['/', '\\']) {
        return Err("The file name contains a directory.");
    }
    if name.trim() != name {
        return Err("The file name begins or ends with a space.");
    }
    let extension = |text: &str| {
        let short = (1..=MAX_EXTENSION).contains(&text.len());
        short && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    match name.rsplit_once('.') {
        Some((stem, end)) if !stem.trim_matches('.').is_empty() && extension(end) => Ok(()),
        _ => Err("The file name has no extension such as .png."),
    }
}
