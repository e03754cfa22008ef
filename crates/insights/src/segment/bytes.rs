//! Numbers in bytes.

use super::Damaged;

pub(super) fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number as u8) | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Small for small numbers of either sign.
pub(super) const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

pub(super) const fn from_zigzag(number: u64) -> i64 {
    ((number >> 1) as i64) ^ -((number & 1) as i64)
}

/// FNV-1a.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

/// Reads numbers from the start of bytes.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Damaged> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Damaged> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Damaged)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub fn varint(&mut self) -> Result<u64, Damaged> {
        let mut number = 0;
        for (index, byte) in self.0.iter().take(10).enumerate() {
            number |= u64::from(byte & 0x7f) << (7 * index);
            if byte & 0x80 == 0 {
                self.take(index + 1)?;
                return Ok(number);
            }
        }
        Err(Damaged)
    }

    /// A number of things that take at least one byte each, or that are bounded otherwise.
    pub fn length(&mut self) -> Result<usize, Damaged> {
        u32::try_from(self.varint()?)
            .map(|length| length as usize)
            .map_err(|_| Damaged)
    }

    /// A number of things of which each takes at least one of the remaining bytes.
    pub fn count(&mut self) -> Result<usize, Damaged> {
        let count = self.length()?;
        if count > self.0.len() { Err(Damaged) } else { Ok(count) }
    }

    pub const fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub const fn end(&self) -> Result<(), Damaged> {
        if self.0.is_empty() { Ok(()) } else { Err(Damaged) }
    }
}
