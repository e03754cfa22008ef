//! Treatment of media types in browsers: files that cannot run scripts are shown, all others are saved.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use poem::http::HeaderValue;

pub const BYTES: HeaderValue = HeaderValue::from_static(OCTETS);

pub const OCTETS: &str = "application/octet-stream";

/// No loading, no scripts, no shared origin.
pub const SANDBOX_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/// For PDF, whose viewers do not start in a sandbox and have their own.
const PDF_POLICY: &str = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'";

/// Types that are shown.
const SHOWN_TYPES: [&str; 24] = [
    "audio/aac",
    "audio/flac",
    "audio/mp4",
    "audio/mpeg",
    "audio/ogg",
    "audio/wav",
    "audio/webm",
    "audio/x-m4a",
    "audio/x-wav",
    "image/apng",
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/heic",
    "image/heif",
    "image/jpeg",
    "image/png",
    "image/tiff",
    "image/vnd.microsoft.icon",
    "image/webp",
    "image/x-icon",
    "video/mp4",
    "video/ogg",
    "video/webm",
];

pub struct MediaTypePolicy {
    pub content_type: Cow<'static, str>,
    /// The browser shows the file; otherwise it saves it.
    pub shown: bool,
    /// Pages of other origins may embed the file.
    pub embedded: bool,
    pub policy: &'static str,
}

/// Returns the policy of the signed type. The bytes are never inspected.
pub fn policy_of(content_type: &str) -> MediaTypePolicy {
    let essence = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let kind = |content_type: Cow<'static, str>, shown, embedded| MediaTypePolicy {
        content_type,
        shown,
        embedded,
        policy: SANDBOX_POLICY,
    };
    match essence.as_str() {
        "application/pdf" => MediaTypePolicy {
            policy: PDF_POLICY,
            ..kind(essence.into(), true, false)
        },
        "text/plain" => kind("text/plain; charset=utf-8".into(), true, false),
        // Harmless when embedded as a picture; opened as a document it could run scripts.
        "image/svg+xml" => kind(essence.into(), false, true),
        shown if SHOWN_TYPES.contains(&shown) => kind(essence.into(), true, true),
        // Style sheets of other origins load them.
        "font/woff2" | "font/woff" => kind(essence.into(), false, true),
        runs if could_run(runs) => kind(OCTETS.into(), false, false),
        _ => kind(essence.into(), false, false),
    }
}

/// Returns whether a browser could run the type as a document, a script or a style sheet of this server.
fn could_run(essence: &str) -> bool {
    const PARTS: [&str; 7] = ["html", "xml", "script", "css", "wasm", "multipart/", "message/"];
    PARTS.iter().any(|part| essence.contains(part)) || !essence.contains('/')
}

/// Returns `Content-Disposition` with the name in ASCII and in UTF-8.
pub fn disposition(shown: bool, name: &str) -> HeaderValue {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    let how = if shown { "inline" } else { "attachment" };
    let plain = |c: char| {
        if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') || c == ' ' {
            c
        } else {
            '_'
        }
    };
    let ascii: String = name.chars().map(plain).collect();
    let encoded = utf8_percent_encode(name, KEPT);
    let value = format!("{how}; filename=\"{ascii}\"; filename*=UTF-8''{encoded}");
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("attachment"))
}
