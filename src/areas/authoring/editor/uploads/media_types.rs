//! Parsing and detection of media types.

use imagesize::ImageType;
use mime::Mime;

const MAX_LENGTH: usize = 255;

/// The root element of an SVG has to begin within these bytes.
const MAX_SVG_START: usize = 1024;

pub const OCTETS: &str = "application/octet-stream";

/// A media type in canonical form: lower case, without parameters except the `charset` of texts.
pub fn parse(text: &str) -> Option<String> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let parsed: Mime = text.trim().parse().ok()?;
    let essence = parsed.essence_str().to_ascii_lowercase();
    // Wildcards and incomplete types are invalid.
    let (kind, name) = essence.split_once('/')?;
    if kind.is_empty() || name.is_empty() || essence.contains('*') {
        return None;
    }
    let charset = parsed.get_param(mime::CHARSET).filter(|_| parsed.type_() == mime::TEXT);
    Some(match charset {
        Some(charset) if is_token(charset.as_str()) => {
            format!("{essence}; charset={}", charset.as_str().to_ascii_lowercase())
        }
        _ => essence,
    })
}

fn is_token(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'+');
    !text.is_empty() && text.bytes().all(plain)
}

/// The media type that another server declared, otherwise the type detected from the bytes.
pub fn detect(told: Option<&str>, bytes: &[u8]) -> String {
    let told = told.and_then(parse).filter(|told| told != OCTETS);
    told.unwrap_or_else(|| of_bytes(bytes).to_owned())
}

/// The media type of a picture by its first bytes.
pub fn of_bytes(bytes: &[u8]) -> &'static str {
    match imagesize::image_type(bytes) {
        Ok(ImageType::Gif) => "image/gif",
        Ok(ImageType::Jpeg) => "image/jpeg",
        Ok(ImageType::Png) => "image/png",
        Ok(ImageType::Webp) => "image/webp",
        _ if is_svg(bytes) => "image/svg+xml",
        _ => OCTETS,
    }
}

/// Returns whether a text begins as an SVG, possibly after an XML declaration and comments.
fn is_svg(bytes: &[u8]) -> bool {
    let start = bytes.get(..MAX_SVG_START).unwrap_or(bytes);
    let start = String::from_utf8_lossy(start);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    let declared = ["<?xml", "<!--", "<!DOCTYPE svg"]
        .iter()
        .any(|begin| start.starts_with(begin));
    start.starts_with("<svg") || (declared && start.contains("<svg"))
}

/// The media type of the extension, or else of the bytes.
pub fn of_name_and_bytes(name: &str, bytes: &[u8]) -> String {
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    let known = of_extension(name, is_utf8);
    if known == OCTETS {
        of_bytes(bytes).to_owned()
    } else {
        known
    }
}

/// The media type of a file extension, with `charset=utf-8` for texts in UTF-8.
pub fn of_extension(name: &str, is_utf8: bool) -> String {
    let known = mime_guess::from_path(name).first_raw().and_then(parse);
    let known = known.unwrap_or_else(|| OCTETS.to_owned());
    if is_utf8 && known.starts_with("text/") && !known.contains(';') {
        format!("{known}; charset=utf-8")
    } else {
        known
    }
}
