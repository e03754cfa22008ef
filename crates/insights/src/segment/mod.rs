//! Events in columns.
//!
//! A segment is a set of events. They are stored in the order of visitor, session and time, so that what is the same in
//! all events of a visitor takes next to no space, and so that distinct visitors can be counted without a set of those
//! that were seen in the segment.

mod block;
mod bytes;
mod column;
mod page;
mod rollup;
mod table;

use std::collections::HashSet;

use crate::event::Event;
use block::Packer;
pub(crate) use block::Unpacker;
pub(crate) use column::{Texts, TimeHeader, read_ids, read_texts, read_time_header, read_times};
pub use page::{EventKey, events_at, keys, times};
pub(crate) use rollup::{ROLLUPS, has_rollups};
use table::Table;

/// Numbers of the columns that every segment has.
pub const TIME: u8 = 1;
pub const VISITOR: u8 = 2;
pub const SESSION: u8 = 3;
/// In rollups: how many events a row stands for.
pub(crate) const COUNT: u8 = 4;
/// Columns of large segments, each with a rollup.
const FIRST_ROLLUP: u8 = 5;
const LAST_ROLLUP: u8 = 7;

/// The first byte of all that is stored: the form of what follows.
const VERSION: u8 = 1;

/// The bytes after the version.
fn versioned(bytes: &[u8]) -> Result<&[u8], Damaged> {
    match bytes.split_first() {
        Some((&VERSION, rest)) => Ok(rest),
        _ => Err(Damaged),
    }
}

/// Stored bytes that are not what was stored, or of another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

impl std::fmt::Display for Damaged {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("stored insight events are damaged, or another version of this server has stored them")
    }
}

impl std::error::Error for Damaged {}

/// A segment in its stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    pub events: u32,
    /// Times of the first and the last event; 0 without events.
    pub first: i64,
    pub last: i64,
    /// Memory of the events when they are decoded. Of equal texts one counts.
    pub bytes: u64,
    /// By number, in ascending order. Only fields that some event has have a column.
    pub columns: Columns,
}

/// Stored columns by their numbers.
pub type Columns = Vec<(u8, Vec<u8>)>;

/// Encodes events in any order; at most 2³² − 1.
pub fn encode(events: &[Event]) -> Encoded {
    encode_table(&Table::from_events(events))
}

/// Decodes events, in the order of their times. All columns of the segment have to be given.
pub fn decode(columns: &[(u8, impl AsRef<[u8]>)]) -> Result<Vec<Event>, Damaged> {
    Ok(Table::read(columns)?.into_events())
}

/// Merges segments into one, from all of their columns.
pub fn merge<C: AsRef<[u8]>>(segments: &[Vec<(u8, C)>]) -> Result<Encoded, Damaged> {
    let mut merged = Table::default();
    for columns in segments {
        merged.append(Table::read(columns)?);
    }
    Ok(encode_table(&merged))
}

/// Returns whether the segment has events of one of the visitors. The columns [`TIME`] and [`VISITOR`] are enough.
pub fn has_visitors(columns: &[(u8, impl AsRef<[u8]>)], visitors: &HashSet<u64>) -> Result<bool, Damaged> {
    let column = |number| columns.iter().find(|(of, _)| *of == number).ok_or(Damaged);
    let TimeHeader { events, .. } = read_time_header(column(TIME)?.1.as_ref())?;
    let ids = read_ids(column(VISITOR)?.1.as_ref(), events, &mut Unpacker::new()?)?;
    Ok(ids.iter().any(|id| visitors.contains(id)))
}

/// The segment without the events of these visitors; `None` if it has none of them.
pub fn remove_visitors(
    columns: &[(u8, impl AsRef<[u8]>)],
    visitors: &HashSet<u64>,
) -> Result<Option<Encoded>, Damaged> {
    let mut table = Table::read(columns)?;
    Ok(table.remove_visitors(visitors).then(|| encode_table(&table)))
}

fn encode_table(table: &Table) -> Encoded {
    let mut encoded = table.encode();
    if has_rollups(encoded.events) {
        let packer = &mut Packer::new();
        let rollups = ROLLUPS
            .iter()
            .map(|rollup| (rollup.number, rollup.write(table, packer)));
        encoded.columns.extend(rollups);
        encoded.columns.sort_unstable_by_key(|(number, _)| *number);
    }
    encoded
}

fn is_rollup(number: u8) -> bool {
    (FIRST_ROLLUP..=LAST_ROLLUP).contains(&number)
}

impl Encoded {
    /// The whole segment in one piece.
    pub fn to_bytes(&self) -> Vec<u8> {
        Self::pack(&self.columns)
    }

    fn pack(columns: &[(u8, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes::put_varint(&mut bytes, columns.len() as u64);
        for (number, column) in columns {
            bytes.push(*number);
            bytes::put_varint(&mut bytes, column.len() as u64);
            bytes.extend(column);
        }
        bytes
    }

    /// The columns of a segment in one piece.
    pub fn columns_from_bytes(bytes: &[u8]) -> Result<Columns, Damaged> {
        let mut reader = bytes::Reader::new(versioned(bytes)?);
        let mut columns = Vec::new();
        for _ in 0..reader.count()? {
            let [number] = reader.array()?;
            let length = reader.length()?;
            columns.push((number, reader.take(length)?.to_vec()));
        }
        reader.end()?;
        Ok(columns)
    }
}
