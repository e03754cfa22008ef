//! The frames of a connection of HTTP/2 in one direction, as far as they tell what the library keeps: what it has read of a head,
//! unpacked, until the rest comes; trailers, until somebody reads them; and answers, until they are sent.

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The bytes of a frame before its payload.
const FRAME_HEAD: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

/// The findings in some bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// A head has begun, and does not end with these bytes.
    pub is_head_open: bool,
    /// The heads that have begun on streams that had one already.
    pub trailers: usize,
    /// The bytes within frames of bodies.
    pub data: usize,
}

/// What has been seen of the bytes of a connection.
#[derive(Debug, Default)]
pub struct FrameWatch {
    /// The bytes of the preface that have come.
    preface: usize,
    is_other_protocol: bool,
    /// The bytes of the current frame before its payload that have come, and what they say.
    position: usize,
    length: usize,
    kind: u8,
    flags: u8,
    stream: u32,
    /// The last stream that began.
    last_stream: u32,
    /// The bytes of the payload that are still to come.
    left: usize,
    seen: Seen,
}

impl FrameWatch {
    /// For what the server sends, which begins without a preface.
    pub fn of_server() -> Self {
        Self {
            preface: PREFACE.len(),
            ..Self::default()
        }
    }

    /// Returns whether the client has begun to speak HTTP/2.
    pub fn is_http2(&self) -> bool {
        !self.is_other_protocol && self.preface == PREFACE.len()
    }

    /// Takes note of the next bytes.
    pub fn see(&mut self, bytes: &[u8]) -> Seen {
        let mut bytes = bytes.iter();
        while !self.is_other_protocol {
            // Most bytes are in payloads.
            if self.left > 0 {
                let skipped = self.left.min(bytes.len());
                bytes = bytes.as_slice().split_at(skipped).1.iter();
                self.left -= skipped;
                if self.kind == DATA {
                    self.seen.data += skipped;
                }
                if self.left == 0 {
                    self.end_frame();
                }
            }
            match bytes.next() {
                Some(byte) => self.see_byte(*byte),
                None => break,
            }
        }
        let next = Seen {
            is_head_open: self.seen.is_head_open,
            ..Seen::default()
        };
        std::mem::replace(&mut self.seen, next)
    }

    fn see_byte(&mut self, byte: u8) {
        if let Some(expected) = PREFACE.get(self.preface) {
            self.preface += 1;
            self.is_other_protocol = byte != *expected;
            return;
        }
        match self.position {
            0..=2 => self.length = (self.length << 8) | usize::from(byte),
            3 => self.kind = byte,
            4 => self.flags = byte,
            // A reserved bit is before the number.
            5 => self.stream = u32::from(byte & 0x7f),
            _ => self.stream = (self.stream << 8) | u32::from(byte),
        }
        self.position += 1;
        if self.position == FRAME_HEAD {
            self.position = 0;
            self.begin_frame();
            self.left = std::mem::take(&mut self.length);
            if self.left == 0 {
                self.end_frame();
            }
        }
    }

    fn begin_frame(&mut self) {
        if self.kind == HEADERS {
            self.seen.trailers += usize::from(self.stream <= self.last_stream);
            self.last_stream = self.last_stream.max(self.stream);
        }
    }

    fn end_frame(&mut self) {
        if matches!(self.kind, HEADERS | CONTINUATION) {
            self.seen.is_head_open = self.flags & END_HEADERS == 0;
        }
    }
}
