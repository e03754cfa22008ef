//! Treatment of media types in browsers: files that cannot run scripts are shown, all others are saved.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use poem::http::HeaderValue;

pub const BYTES: HeaderValue = HeaderValue::from_static(OCTETS);

const OCTETS: &str = "application/octet-stream";

/// No loading, no scripts, no shared origin.
const SANDBOX_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_could_run_are_saved() {
        for content_type in [
            "text/html",
            "TEXT/HTML; charset=utf-8",
            "application/xhtml+xml",
            "application/xml",
            "text/xml",
            "application/atom+xml",
            "text/javascript",
            "application/x-ecmascript",
            "text/jscript",
            "text/css",
            "application/wasm",
            "multipart/x-mixed-replace",
            "message/rfc822",
            "html",
            "",
        ] {
            let kind = policy_of(content_type);
            assert_eq!(kind.content_type, OCTETS, "{content_type}");
            assert!(
                !kind.shown && !kind.embedded && kind.policy == SANDBOX_POLICY,
                "{content_type}"
            );
        }
        let svg = policy_of("image/svg+xml");
        assert_eq!(svg.content_type, "image/svg+xml");
        assert!(!svg.shown && svg.embedded);
        let archive = policy_of("application/zip");
        assert_eq!(archive.content_type, "application/zip");
        assert!(!archive.shown);
    }

    #[test]
    fn types_that_cannot_run_are_shown() {
        for (content_type, sent) in [
            ("image/png", "image/png"),
            ("Image/JPEG", "image/jpeg"),
            ("video/mp4; codecs=avc1", "video/mp4"),
            ("application/pdf", "application/pdf"),
            ("text/plain", "text/plain; charset=utf-8"),
            ("text/plain; charset=utf-16", "text/plain; charset=utf-8"),
        ] {
            let kind = policy_of(content_type);
            assert!(kind.shown, "{content_type}");
            assert_eq!(kind.content_type, sent);
        }
    }

    #[test]
    fn a_name_cannot_break_out_of_the_header() {
        let value = disposition(true, "Ü \"x\"; filename=\"a.exe\r\n%41.png");
        assert_eq!(
            value.to_str().unwrap(),
            "inline; filename=\"_ _x_; filename=_a.exe___41.png\"; \
             filename*=UTF-8''%C3%9C%20%22x%22%3B%20filename%3D%22a.exe%0D%0A%2541.png"
        );
    }
}
