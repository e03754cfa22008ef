//! The sizes of pictures.

use bindery::areas::authoring::editor::uploads::image_size::dimensions;
use proptest::prelude::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0";
const GIF: &[u8] = b"GIF89a\x80\x02\xe0\x01\0\0\0\0";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x11\x08\x01\xe0\x02\x80\x03\x01";
const WEBP: &[u8] = b"RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0\0\0";

#[test]
fn pictures_tell_their_size() {
    for picture in [PNG, GIF, JPEG, WEBP] {
        assert_eq!(dimensions("image/png", picture), Some((640, 480)), "{picture:?}");
        assert_eq!(dimensions("text/plain", picture), None);
    }
    assert_eq!(dimensions("image/png", b"no picture"), None);
    assert_eq!(dimensions("image/png", b""), None);
}

#[test]
fn drawings_tell_their_size() {
    let of = |text: &str| dimensions("image/svg+xml", text.as_bytes());
    for (text, size) in [
        (r#"<svg width="640" height="480"></svg>"#, Some((640, 480))),
        (
            "<?xml version='1.0'?>\n<!-- a -->\n<svg\n xmlns='x'\n height = '480.4px'\n width='639.6px'>",
            Some((640, 480)),
        ),
        (r#"<svg viewBox="0 0 24,32"/>"#, Some((24, 32))),
        (
            r#"<svg width="100%" height="100%" viewBox="-1 -1 24 32">"#,
            Some((24, 32)),
        ),
        (
            r#"<svg data-width="1" stroke-width="2" width="3" height="4">"#,
            Some((3, 4)),
        ),
        (r#"<svg width="0" height="0">"#, None),
        (r#"<svg width="-5" height="5">"#, None),
        (r#"<svg width="1e300" height="5">"#, None),
        (r#"<svg width="NaN" height="inf" viewBox="0 0">"#, None),
        (r#"<svg width=5 height=5>"#, None),
        (r#"<svg width="5" height="5""#, None),
        ("<svg>", None),
        ("", None),
    ] {
        assert_eq!(of(text), size, "{text}");
    }
}

#[test]
fn a_length_of_nothing_does_not_turn_in_circles() {
    for length in 0..4 {
        let mut bytes = b"\xff\xd8\xff\xe0\0".to_vec();
        bytes.push(length);
        bytes.extend_from_slice(&[0xff; 64]);
        assert_eq!(dimensions("image/jpeg", &bytes), None);
    }
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(
        start in prop::sample::select(vec![PNG, GIF, JPEG, WEBP, b"<svg ", b"<svg width=\"", b"<svg viewBox='0 0 "]),
        cut in 0_usize..48,
        changes in prop::collection::vec((0_usize..64, any::<u8>()), 0..8),
        end in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut bytes = start[..cut.min(start.len())].to_vec();
        bytes.extend(end);
        for (at, byte) in changes {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        dimensions("image/png", &bytes);
        dimensions("image/svg+xml", &bytes);
    }
}
