//! Names of files that are safe in URLs, headers and file systems, and that do not mislead people.

const MAX_LENGTH: usize = 256;

const MAX_EXTENSION: usize = 16;

/// Refuses an invalid name with the reason.
pub fn check(name: &str) -> Result<(), &'static str> {
    if name.chars().count() > MAX_LENGTH {
        return Err("The file name is longer than 256 characters.");
    }
    if name.contains(['/', '\\']) {
        return Err("The file name contains a directory.");
    }
    if name.contains(|c: char| c.is_control() || is_invisible(c)) {
        return Err("The file name contains invisible characters.");
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

/// Invisible characters, and those that change the writing direction: `exe.png` can be made to look like `gnp.exe`.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
