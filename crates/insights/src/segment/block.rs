//! Compressed bytes with a checksum.

use std::borrow::Cow;

use zstd::bulk::{Compressor, Decompressor};

use super::bytes::{Reader, checksum};
use super::{Damaged, VERSION, versioned};

const PLAIN: u8 = 0;
const COMPRESSED: u8 = 1;
/// Shorter bytes do not become shorter.
const MIN_COMPRESSED_LENGTH: usize = 48;
const LEVEL: i32 = 3;

pub(super) struct Packer(Option<Compressor<'static>>);

impl Packer {
    pub fn new() -> Self {
        let compressor = Compressor::new(LEVEL).and_then(|mut compressor| {
            compressor.include_checksum(true)?;
            Ok(compressor)
        });
        Self(compressor.ok())
    }

    pub fn pack(&mut self, bytes: &[u8]) -> Vec<u8> {
        if bytes.len() >= MIN_COMPRESSED_LENGTH
            && let Some(compressor) = &mut self.0
            && let Ok(length) = u32::try_from(bytes.len())
            && let Ok(compressed) = compressor.compress(bytes)
        {
            return [&[VERSION, COMPRESSED], length.to_le_bytes().as_slice(), &compressed].concat();
        }
        [&[VERSION, PLAIN], checksum(bytes).to_le_bytes().as_slice(), bytes].concat()
    }
}

pub(crate) struct Unpacker(Decompressor<'static>);

impl Unpacker {
    pub fn new() -> Result<Self, Damaged> {
        Decompressor::new().map(Self).map_err(|_| Damaged)
    }

    pub fn unpack<'a>(&mut self, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Damaged> {
        let mut reader = Reader::new(versioned(bytes)?);
        let [kind] = reader.array()?;
        let number = u32::from_le_bytes(reader.array()?);
        let rest = reader.rest();
        match kind {
            PLAIN if checksum(rest) == number => Ok(Cow::Borrowed(rest)),
            COMPRESSED => {
                // Memory is taken only for a length that is said twice.
                let length = zstd::zstd_safe::get_frame_content_size(rest).map_err(|_| Damaged)?;
                if length != Some(u64::from(number)) {
                    return Err(Damaged);
                }
                self.0
                    .decompress(rest, number as usize)
                    .map(Cow::Owned)
                    .map_err(|_| Damaged)
            }
            _ => Err(Damaged),
        }
    }
}
