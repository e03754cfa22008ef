//! The stored form of single columns.

use super::block::{Packer, Unpacker};
use super::bytes::{Reader, checksum, from_zigzag, put_varint, zigzag};
use super::{Damaged, VERSION, versioned};

/// What is known of the times without decoding them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeHeader {
    pub events: u32,
    pub first: i64,
    pub last: i64,
}

const TIME_HEADER: usize = 24;

impl TimeHeader {
    pub fn of(times: &[i64]) -> Self {
        Self {
            events: times.len() as u32,
            first: times.iter().min().copied().unwrap_or(0),
            last: times.iter().max().copied().unwrap_or(0),
        }
    }
}

/// Times as differences to the one before, byte by byte.
pub(super) fn write_times(times: &[i64], packer: &mut Packer) -> Vec<u8> {
    let header = TimeHeader::of(times);
    let mut bytes = Vec::with_capacity(TIME_HEADER);
    bytes.extend(header.events.to_le_bytes());
    bytes.extend(header.first.to_le_bytes());
    bytes.extend(header.last.to_le_bytes());
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes.insert(0, VERSION);
    let mut previous = header.first;
    let differences = times
        .iter()
        .map(|time| zigzag(time.wrapping_sub(std::mem::replace(&mut previous, *time))));
    let differences: Vec<u64> = differences.collect();
    let largest = differences.iter().max().copied().unwrap_or(0);
    // At least one, so that damaged numbers of events are found.
    let width = (u64::BITS - largest.leading_zeros()).div_ceil(8).max(1);
    let mut planes = vec![width as u8];
    for plane in 0..width {
        planes.extend(differences.iter().map(|difference| (difference >> (8 * plane)) as u8));
    }
    bytes.extend(packer.pack(&planes));
    bytes
}

pub(crate) fn read_time_header(bytes: &[u8]) -> Result<TimeHeader, Damaged> {
    let (header, _) = versioned(bytes)?.split_at_checked(TIME_HEADER).ok_or(Damaged)?;
    let (counted, stored) = header.split_at_checked(TIME_HEADER - 4).ok_or(Damaged)?;
    if checksum(counted).to_le_bytes() != stored {
        return Err(Damaged);
    }
    let mut reader = Reader::new(counted);
    Ok(TimeHeader {
        events: u32::from_le_bytes(reader.array()?),
        first: i64::from_le_bytes(reader.array()?),
        last: i64::from_le_bytes(reader.array()?),
    })
}

pub(crate) fn read_times(bytes: &[u8], unpacker: &mut Unpacker) -> Result<Vec<i64>, Damaged> {
    let header = read_time_header(bytes)?;
    let bytes = unpacker.unpack(versioned(bytes)?.get(TIME_HEADER..).ok_or(Damaged)?)?;
    let mut reader = Reader::new(&bytes);
    let [width] = reader.array()?;
    let width = usize::from(width);
    if !(1..=8).contains(&width) {
        return Err(Damaged);
    }
    let low = read_planes(&mut reader, width.min(4), header.events)?;
    let high = read_planes(&mut reader, width.saturating_sub(4), header.events)?;
    reader.end()?;
    let mut time = header.first;
    let mut next = |difference: u64| {
        time = time.wrapping_add(from_zigzag(difference));
        time
    };
    let times: Vec<i64> = match width {
        0..=4 => low.iter().map(|low| next(u64::from(*low))).collect(),
        _ => low
            .iter()
            .zip(&high)
            .map(|(low, high)| next(u64::from(*low) | (u64::from(*high) << 32)))
            .collect(),
    };
    if TimeHeader::of(&times) == header {
        Ok(times)
    } else {
        Err(Damaged)
    }
}

/// Numbers that are stored byte by byte: the lowest bytes of all, the second lowest of all, …
fn read_planes(reader: &mut Reader<'_>, width: usize, count: u32) -> Result<Vec<u32>, Damaged> {
    let mut numbers = match width {
        0 => Vec::new(),
        _ => reader
            .take(count as usize)?
            .iter()
            .copied()
            .map(u32::from)
            .collect::<Vec<u32>>(),
    };
    for plane in 1..width {
        for (number, byte) in numbers.iter_mut().zip(reader.take(count as usize)?) {
            *number |= u32::from(*byte) << (8 * plane);
        }
    }
    Ok(numbers)
}

/// Ids as runs: the values, then the lengths.
pub(super) fn write_ids(ids: &[u64], packer: &mut Packer) -> Vec<u8> {
    let mut bytes = Vec::new();
    let runs = || ids.chunk_by(|left, right| left == right);
    put_varint(&mut bytes, runs().count() as u64);
    for id in runs().filter_map(<[u64]>::first) {
        bytes.extend(id.to_le_bytes());
    }
    for run in runs() {
        put_varint(&mut bytes, run.len() as u64);
    }
    packer.pack(&bytes)
}

pub(crate) fn read_ids(bytes: &[u8], events: u32, unpacker: &mut Unpacker) -> Result<Vec<u64>, Damaged> {
    let bytes = unpacker.unpack(bytes)?;
    let mut reader = Reader::new(&bytes);
    let runs = reader.count()?;
    let mut values = Reader::new(reader.take(runs.checked_mul(8).ok_or(Damaged)?)?);
    let mut ids = Vec::with_capacity(events as usize);
    for _ in 0..runs {
        let id = u64::from_le_bytes(values.array()?);
        let length = reader.length()?;
        if length > events as usize - ids.len() {
            return Err(Damaged);
        }
        ids.resize(ids.len() + length, id);
    }
    reader.end()?;
    if ids.len() == events as usize {
        Ok(ids)
    } else {
        Err(Damaged)
    }
}

/// Texts of a column: each once, and for each event the number of its text; 0 is null.
pub(crate) struct Texts {
    bytes: String,
    ends: Vec<u32>,
    pub codes: Vec<u32>,
}

impl Texts {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let text = self.bytes.get(start as usize..*end as usize).unwrap_or_default();
            start = *end;
            text
        })
    }
}

/// The dictionary, then the codes byte by byte: the lowest bytes of all, the second lowest of all, …
pub(super) fn write_texts<'a>(
    texts: impl ExactSizeIterator<Item = &'a str> + Clone,
    codes: &[u32],
    packer: &mut Packer,
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(codes.len() * 2);
    put_varint(&mut bytes, texts.len() as u64);
    for text in texts.clone() {
        put_varint(&mut bytes, text.len() as u64);
    }
    for text in texts.clone() {
        bytes.extend(text.as_bytes());
    }
    for plane in 0..code_width(texts.len()) {
        bytes.extend(codes.iter().map(|code| (code >> (8 * plane)) as u8));
    }
    packer.pack(&bytes)
}

/// Bytes of each code.
const fn code_width(texts: usize) -> usize {
    match texts {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    }
}

pub(crate) fn read_texts(bytes: &[u8], events: u32, unpacker: &mut Unpacker) -> Result<Texts, Damaged> {
    let bytes = unpacker.unpack(bytes)?;
    let mut reader = Reader::new(&bytes);
    let count = reader.count()?;
    let mut ends = Vec::with_capacity(count);
    let mut end = 0u32;
    for _ in 0..count {
        end = u32::try_from(reader.length()?)
            .ok()
            .and_then(|length| end.checked_add(length))
            .ok_or(Damaged)?;
        ends.push(end);
    }
    let start = bytes.len() - reader.rest().len();
    reader.take(end as usize)?;
    let codes = read_planes(&mut reader, code_width(count), events)?;
    reader.end()?;
    if codes.iter().max().is_some_and(|code| *code as usize > count) {
        return Err(Damaged);
    }
    // The texts stay where they were unpacked.
    let mut bytes = bytes.into_owned();
    bytes.truncate(start + end as usize);
    bytes.drain(..start);
    let bytes = String::from_utf8(bytes).map_err(|_| Damaged)?;
    if ends.iter().any(|end| !bytes.is_char_boundary(*end as usize)) {
        return Err(Damaged);
    }
    Ok(Texts { bytes, ends, codes })
}
