//! The media types of uploads.

use bindery::areas::authoring::editor::uploads::media_types::{OCTETS, detect, of_extension, parse};

#[test]
fn types_have_one_form() {
    for (text, form) in [
        ("image/png", "image/png"),
        (" Image/PNG ", "image/png"),
        ("image/svg+xml", "image/svg+xml"),
        ("text/plain;charset=UTF-8", "text/plain; charset=utf-8"),
        ("text/plain; format=flowed", "text/plain"),
        ("video/mp4; codecs=\"avc1.42E01E\"", "video/mp4"),
        (
            "application/vnd.oasis.opendocument.text",
            "application/vnd.oasis.opendocument.text",
        ),
    ] {
        assert_eq!(parse(text).as_deref(), Some(form), "{text}");
    }
    let long = format!("a/{}", "b".repeat(254));
    for text in [
        "",
        "png",
        "image/",
        "/png",
        "*/*",
        "image/*",
        "image/png\r\nX: y",
        "image /png",
        "ü/x",
        &long,
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn bytes_speak_where_nobody_does() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    for (told, bytes, form) in [
        (
            Some("text/html; charset=utf-8"),
            png.as_slice(),
            "text/html; charset=utf-8",
        ),
        (Some("application/octet-stream"), png, "image/png"),
        (Some("nonsense"), png, "image/png"),
        (None, png, "image/png"),
        (None, b"GIF89a\x01\0\x01\0\0\0", "image/gif"),
        (None, b"<?xml version=\"1.0\"?>\n<svg>", "image/svg+xml"),
        (None, b"<p><svg></svg></p>", OCTETS),
        (None, b"nothing in particular", OCTETS),
        (None, b"", OCTETS),
    ] {
        assert_eq!(detect(told, bytes), form, "{told:?}");
    }
}

#[test]
fn extensions_speak_for_files() {
    for (name, is_utf8, form) in [
        ("a.PNG", false, "image/png"),
        ("a.svg", true, "image/svg+xml"),
        ("a.txt", true, "text/plain; charset=utf-8"),
        ("a.html", false, "text/html"),
        ("a.nothing", true, OCTETS),
        ("a", false, OCTETS),
    ] {
        assert_eq!(of_extension(name, is_utf8), form, "{name}");
    }
}
