//! Texts that were compressed by LZ-string, in its form for URI components.

/// The characters of the form, each of which stands for six bits.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

/// Codes that are no entries of the dictionary.
const CHARACTER_OF_8_BITS: usize = 0;
const CHARACTER_OF_16_BITS: usize = 1;
const END: usize = 2;

/// Decompresses a text. `None`: the text was not compressed in this way, or stands for more than `limit` UTF-16 code units.
pub fn decompress(text: &str, limit: usize) -> Option<String> {
    let mut bits = Bits::new(text);
    let mut output: Vec<u16> = Vec::new();
    // Each entry is a part of the output: where it begins, and its length.
    let mut entries: Vec<(usize, usize)> = vec![(0, 0); 3];
    let mut last = (0, 0);
    let mut width = CodeWidth { bits: 2, entries: 1 };
    loop {
        let start = output.len();
        match bits.read(width.bits)? {
            END => return String::from_utf16(&output).ok(),
            code @ (CHARACTER_OF_8_BITS | CHARACTER_OF_16_BITS) => {
                let size = if code == CHARACTER_OF_8_BITS { 8 } else { 16 };
                output.push(u16::try_from(bits.read(size)?).ok()?);
                entries.push((start, 1));
                width.note_entry()?;
            }
            // The entry that this code completes, which ends as it begins.
            code if code == entries.len() && start > 0 => {
                repeat(&mut output, last, limit)?;
                output.push(*output.get(last.0)?);
            }
            code => repeat(&mut output, *entries.get(code)?, limit)?,
        }
        if output.len() > limit {
            return None;
        }
        if start > 0 {
            // The text before, and the first character of this one, which follows it in the output.
            entries.push((last.0, last.1 + 1));
            width.note_entry()?;
        }
        last = (start, output.len() - start);
    }
}

fn repeat(output: &mut Vec<u16>, (from, length): (usize, usize), limit: usize) -> Option<()> {
    if output.len() + length > limit {
        return None;
    }
    output.extend_from_within(from..from + length);
    Some(())
}

/// The number of bits of codes, which grows with the dictionary.
struct CodeWidth {
    bits: u32,
    /// Entries until it grows.
    entries: usize,
}

impl CodeWidth {
    fn note_entry(&mut self) -> Option<()> {
        self.entries = self.entries.checked_sub(1)?;
        if self.entries == 0 {
            self.entries = 1_usize.checked_shl(self.bits)?;
            self.bits += 1;
        }
        Some(())
    }
}

/// The bits of a text.
struct Bits<'a> {
    characters: std::str::Bytes<'a>,
    value: usize,
    left: u32,
}

impl<'a> Bits<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            characters: text.bytes(),
            value: 0,
            left: 0,
        }
    }

    /// Reads a number, whose lowest bit comes first. `None`: the text ends before.
    fn read(&mut self, bits: u32) -> Option<usize> {
        let mut number = 0;
        for place in 0..bits {
            if self.left == 0 {
                // Forms write a space for a plus.
                let character = self
                    .characters
                    .next()
                    .map(|byte| if byte == b' ' { b'+' } else { byte })?;
                self.value = ALPHABET.iter().position(|known| *known == character)?;
                self.left = 6;
            }
            self.left -= 1;
            number |= (self.value >> self.left & 1) << place;
        }
        Some(number)
    }
}
