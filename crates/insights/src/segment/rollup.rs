//! Counts of the events of a segment by the columns of usual queries. In a rollup one row stands for many events.

use ahash::HashMap;

use super::block::Packer;
use super::column::{write_ids, write_times};
use super::table::{Table, at, gather};
use super::{COUNT, Encoded, FIRST_ROLLUP, LAST_ROLLUP, TIME};
use crate::event::Field;

/// What the events are counted by.
pub(crate) struct Rollup {
    /// Number of the column that has the rollup.
    pub number: u8,
    pub fields: &'static [Field],
    /// Whether they are counted by the quarter of an hour, too. The offsets of all zones are multiples of that.
    pub has_times: bool,
}

pub(crate) const ROLLUPS: [Rollup; 3] = [
    Rollup {
        number: FIRST_ROLLUP,
        fields: &[Field::Type],
        has_times: true,
    },
    Rollup {
        number: FIRST_ROLLUP + 1,
        fields: &[Field::Type, Field::Space, Field::Page],
        has_times: false,
    },
    Rollup {
        number: LAST_ROLLUP,
        fields: &[Field::Type, Field::SearchQuery],
        has_times: false,
    },
];

/// Smaller segments have no rollups: to read their events takes no time.
const MIN_EVENTS: u32 = 4_096;

const QUARTER_OF_AN_HOUR: i64 = 900_000;

/// Returns whether segments with so many events have rollups.
pub(crate) const fn has_rollups(events: u32) -> bool {
    events >= MIN_EVENTS
}

impl Rollup {
    /// A segment without visitors and sessions. The time of a row is that of the first event that it stands for, so that
    /// all of them are within the times of the segment.
    pub(super) fn write(&self, table: &Table, packer: &mut Packer) -> Vec<u8> {
        let columns: Vec<_> = self.fields.iter().map(|field| table.column(*field)).collect();
        let mut groups: HashMap<_, (u32, u64)> = HashMap::default();
        for (row, time) in (0..).zip(&table.times) {
            let quarter = self.has_times.then(|| time.div_euclid(QUARTER_OF_AN_HOUR));
            let mut codes = [0; 3];
            for (code, column) in codes.iter_mut().zip(&columns) {
                *code = column.map_or(0, |column| at(&column.codes, row));
            }
            let (first, count) = groups.entry((quarter, codes)).or_insert((row, 0));
            if *time < at(&table.times, *first) {
                *first = row;
            }
            *count += 1;
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable();
        let (rows, counts): (Vec<u32>, Vec<u64>) = groups.into_iter().map(|(_, group)| group).unzip();
        let times: Vec<i64> = gather(&table.times, &rows).collect();
        let mut written = vec![(TIME, write_times(&times, packer)), (COUNT, write_ids(&counts, packer))];
        for (field, column) in self.fields.iter().zip(columns) {
            written.extend(column.map(|column| (field.number(), column.write(&rows, packer))));
        }
        packer.pack(&Encoded::pack(&written))
    }
}
