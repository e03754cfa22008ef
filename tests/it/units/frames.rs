//! Heads of HTTP/2 that are not complete, trailers and bodies, however their bytes come.

use bindery::http::connections::frames::{FrameWatch, Seen};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, 1], payload].concat()
}

#[test]
fn a_head_is_open_until_its_last_frame_has_come() {
    // Each with whether a head is open after it.
    let frames = [
        (PREFACE.to_vec(), false),
        (frame(4, 0, b""), false),
        (frame(1, 4, b"head"), false),
        (frame(1, 0, b"part"), true),
        (frame(9, 0, b""), true),
        (frame(9, 4, &[4; 300]), false),
        (frame(0, 1, &[9; 70_000]), false),
        (frame(1, 1, b""), true),
        (frame(9, 4, b""), false),
    ];
    for step in [1, 2, 7, 1000, usize::MAX] {
        let mut watch = FrameWatch::default();
        let mut before = false;
        for (frame, is_open) in &frames {
            let mut parts = frame.chunks(step.min(frame.len())).peekable();
            while let Some(part) = parts.next() {
                let expected = if parts.peek().is_some() { before } else { *is_open };
                assert_eq!(
                    watch.see(part).is_head_open,
                    expected,
                    "{:?} in parts of {step}",
                    &frame[..9]
                );
            }
            before = *is_open;
        }
        // Several frames at once.
        let all: Vec<u8> = frames.iter().take(4).flat_map(|(frame, _)| frame.clone()).collect();
        assert!(FrameWatch::default().see(&all).is_head_open);
    }
}

#[test]
fn trailers_and_bytes_of_bodies_are_counted() {
    let on_stream = |stream: u8, kind, payload: &[u8]| {
        let mut frame = frame(kind, 4, payload);
        frame[8] = stream;
        frame
    };
    let frames = [
        on_stream(0, 4, b""),
        on_stream(1, 1, b"head"),
        on_stream(1, 0, b"body"),
        on_stream(3, 1, b"head"),
        on_stream(1, 1, b"trailers"),
        on_stream(0, 6, &[0; 8]),
        on_stream(3, 0, &[0; 1000]),
        on_stream(3, 1, b""),
        on_stream(3, 0, b""),
    ]
    .concat();
    for step in [1, 2, 7, 1000, usize::MAX] {
        let mut watch = FrameWatch::of_server();
        let (mut trailers, mut data) = (0, 0);
        for part in frames.chunks(step.min(frames.len())) {
            let seen = watch.see(part);
            trailers += seen.trailers;
            data += seen.data;
        }
        assert_eq!((trailers, data), (2, 1004), "in parts of {step}");
    }
}

#[test]
fn other_protocols_have_no_frames() {
    let mut watch = FrameWatch::default();
    assert_eq!(watch.see(b"PRI * HTTP/1.1\r\n"), Seen::default());
    assert_eq!(watch.see(&frame(1, 0, b"part")), Seen::default());
    assert!(!watch.is_http2());
}
