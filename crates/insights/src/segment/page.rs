//! Reading single events of a segment.

use super::column::{read_time_header, read_times};
use super::table::{Table, at};
use super::{Damaged, TIME, Unpacker};
use crate::event::Event;

/// The place of an event among all events of a site: by its time, then by all that it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventKey {
    pub time: i64,
    visitor: u64,
    session: u64,
    /// Hash of the values.
    values: u64,
}

/// The times of a segment, which needs only the column [`TIME`] for that. They are in the order of its rows.
pub fn times(columns: &[(u8, impl AsRef<[u8]>)]) -> Result<Vec<i64>, Damaged> {
    let (_, times) = columns.iter().find(|(number, _)| *number == TIME).ok_or(Damaged)?;
    read_time_header(times.as_ref())?;
    read_times(times.as_ref(), &mut Unpacker::new()?)
}

/// The keys of the events whose time is wanted, and their rows, from all columns of the segment.
pub fn keys(
    columns: &[(u8, impl AsRef<[u8]>)],
    is_wanted: impl Fn(i64) -> bool,
) -> Result<Vec<(EventKey, u32)>, Damaged> {
    let table = Table::read(columns)?;
    let rows = (0..).zip(&table.times).filter(|(_, time)| is_wanted(**time));
    let mut keys: Vec<(EventKey, u32)> = rows
        .map(|(row, time)| {
            let key = EventKey {
                time: *time,
                visitor: at(&table.visitors, row),
                session: at(&table.sessions, row),
                values: 0,
            };
            (key, row)
        })
        .collect();
    for (number, column) in &table.columns {
        let mut hashes = vec![0];
        hashes.extend(column.texts.iter().map(|text| hash(*number, text)));
        for (key, row) in &mut keys {
            let hash = at(&hashes, at(&column.codes, *row));
            key.values = key.values.wrapping_add(hash);
        }
    }
    Ok(keys)
}

/// The events of these rows, in their order, from all columns of the segment.
pub fn events_at(columns: &[(u8, impl AsRef<[u8]>)], rows: &[u32]) -> Result<Vec<Event>, Damaged> {
    Ok(Table::read(columns)?.events(rows))
}

/// FNV-1a, alike in all processes.
fn hash(number: u8, text: &str) -> u64 {
    let bytes = std::iter::once(number).chain(text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
