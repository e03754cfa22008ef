//! How browsers are told to treat files.

use bindery::http::files::media_types::{OCTETS, SANDBOX_POLICY, disposition, policy_of};

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
