//! Archives that no usual program writes.

use std::io::Cursor;

use crate::{Archive, ArchiveError, Limits};

pub const LIMITS: Limits = Limits {
    files: 200_000,
    bytes: 64 * 1024 * 1024,
};

/// An entry whose two headers say what a test wants.
#[derive(Clone)]
pub struct Made {
    pub name: Vec<u8>,
    pub bytes: Vec<u8>,
    pub crc: u32,
    pub flags: u16,
    pub method: u16,
    /// Mode as a Unix program writes it.
    pub mode: u32,
    /// The size that the headers claim.
    pub size: u32,
    /// Start of the entry as the directory claims it. `None`: where it really starts.
    pub offset: Option<u32>,
}

pub const UTF8: u16 = 1 << 11;
pub const ENCRYPTED: u16 = 1;

pub fn file(name: &str, bytes: &[u8]) -> Made {
    Made {
        name: name.as_bytes().to_vec(),
        bytes: bytes.to_vec(),
        crc: crc(bytes),
        flags: UTF8,
        method: 0,
        mode: 0o100_644,
        size: u32::try_from(bytes.len()).unwrap(),
        offset: None,
    }
}

pub fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    !bytes
        .iter()
        .fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// Returns the bytes of an archive.
pub fn packed(entries: &[Made]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let at = u32::try_from(archive.len()).unwrap();
        archive.extend(b"PK\x03\x04\x14\0");
        archive.extend(fields(entry));
        archive.extend(&entry.name);
        archive.extend(&entry.bytes);
        directory.extend(b"PK\x01\x02\x14\x03\x14\0");
        directory.extend(fields(entry));
        directory.extend([0; 6]);
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(entry.offset.unwrap_or(at).to_le_bytes());
        directory.extend(&entry.name);
    }
    let (start, count) = (archive.len(), entries.len());
    archive.extend(&directory);
    archive.extend(end(count, directory.len(), start));
    archive
}

/// Fields that both headers have.
fn fields(entry: &Made) -> Vec<u8> {
    let mut fields = Vec::new();
    fields.extend(entry.flags.to_le_bytes());
    fields.extend(entry.method.to_le_bytes());
    fields.extend(0x21_0000_u32.to_le_bytes());
    fields.extend(entry.crc.to_le_bytes());
    fields.extend(u32::try_from(entry.bytes.len()).unwrap().to_le_bytes());
    fields.extend(entry.size.to_le_bytes());
    fields.extend(u16::try_from(entry.name.len()).unwrap().to_le_bytes());
    fields.extend([0; 2]);
    fields
}

/// The last record; for many entries after those that have room for the number.
fn end(count: usize, size: usize, start: usize) -> Vec<u8> {
    let mut end = Vec::new();
    let short = u16::try_from(count).unwrap_or(u16::MAX);
    if usize::from(short) != count {
        end.extend(large_end(count as u64, size as u64, start as u64));
    }
    end.extend(b"PK\x05\x06\0\0\0\0");
    end.extend([short.to_le_bytes(), short.to_le_bytes()].concat());
    end.extend(u32::try_from(size).unwrap().to_le_bytes());
    end.extend(u32::try_from(start).unwrap().to_le_bytes());
    end.extend([0; 2]);
    end
}

/// A record with the number of entries, and its locator.
pub fn large_end(count: u64, size: u64, start: u64) -> Vec<u8> {
    let mut end = b"PK\x06\x06".to_vec();
    end.extend(44_u64.to_le_bytes());
    end.extend([45, 3, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    end.extend([count, count, size, start].map(u64::to_le_bytes).concat());
    end.extend(b"PK\x06\x07\0\0\0\0");
    end.extend((start + size).to_le_bytes());
    end.extend(1_u32.to_le_bytes());
    end
}

pub fn opened(bytes: Vec<u8>) -> Result<Archive<Cursor<Vec<u8>>>, ArchiveError> {
    Archive::open(Cursor::new(bytes), LIMITS)
}

/// Opens an archive that is refused, and returns why.
#[track_caller]
pub fn refusal(bytes: Vec<u8>) -> String {
    match opened(bytes) {
        Ok(archive) => panic!("not refused: {:?}", archive.entries()),
        Err(error) => error.to_string(),
    }
}

/// The paths in an archive with what they are.
pub fn paths(archive: &Archive<Cursor<Vec<u8>>>) -> Vec<String> {
    let each = archive.entries().iter();
    each.map(|entry| format!("{} {:?}", entry.path, entry.kind)).collect()
}
