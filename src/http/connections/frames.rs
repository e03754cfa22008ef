//! The frames that a client of HTTP/2 sends, as far as they tell whether a head is complete: the library keeps what it has
//! read of one, unpacked, until the rest comes.

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The bytes of a frame before its payload.
const FRAME_HEAD: usize = 9;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

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
    /// The bytes of the payload that are still to come.
    left: usize,
    is_head_open: bool,
}

impl FrameWatch {
    /// Takes note of the next bytes. Returns whether a head has begun after them that does not end with them.
    pub fn see(&mut self, bytes: &[u8]) -> bool {
        let mut bytes = bytes.iter();
        while !self.is_other_protocol {
            // Most bytes are in payloads.
            if self.left > 0 {
                let skipped = self.left.min(bytes.len());
                bytes = bytes.as_slice().split_at(skipped).1.iter();
                self.left -= skipped;
                if self.left == 0 {
                    self.end_frame();
                }
            }
            match bytes.next() {
                Some(byte) => self.see_byte(*byte),
                None => break,
            }
        }
        self.is_head_open
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
            _ => {}
        }
        self.position += 1;
        if self.position == FRAME_HEAD {
            self.position = 0;
            self.left = std::mem::take(&mut self.length);
            if self.left == 0 {
                self.end_frame();
            }
        }
    }

    fn end_frame(&mut self) {
        if matches!(self.kind, HEADERS | CONTINUATION) {
            self.is_head_open = self.flags & END_HEADERS == 0;
        }
    }
}
