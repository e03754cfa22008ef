//! Events in columns, in memory.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use ahash::RandomState;
use hashbrown::HashTable;

use super::block::{Packer, Unpacker};
use super::column::{
    TimeHeader, read_ids, read_texts, read_time_header, read_times, write_ids, write_texts, write_times,
};
use super::{Damaged, Encoded, SESSION, TIME, VISITOR, is_rollup};
use crate::event::{EVENT_BYTES, Event, Field, VALUE_BYTES};

/// All columns have the same length.
#[derive(Default)]
pub(super) struct Table {
    pub times: Vec<i64>,
    pub visitors: Vec<u64>,
    pub sessions: Vec<u64>,
    pub columns: BTreeMap<u8, TextColumn>,
}

/// Code 0 is null, code `n` is text `n - 1`.
#[derive(Default)]
pub(super) struct TextColumn {
    pub texts: Vec<Arc<str>>,
    index: HashTable<u32>,
    state: RandomState,
    pub codes: Vec<u32>,
}

/// Bytes of a text in a dictionary, beside its bytes.
const TEXT_BYTES: u64 = 32;

impl TextColumn {
    fn code_of(&mut self, text: Arc<str>) -> u32 {
        let Self {
            texts, index, state, ..
        } = self;
        let hash = state.hash_one(text.as_ref());
        let text_of = |code: &u32| texts.get(*code as usize - 1).map(AsRef::as_ref).unwrap_or_default();
        if let Some(code) = index.find(hash, |code| text_of(code) == text.as_ref()) {
            return *code;
        }
        let code = texts.len() as u32 + 1;
        index.insert_unique(hash, code, |code| state.hash_one(text_of(code)));
        texts.push(text);
        code
    }

    /// For each code how many events have it.
    fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0u32; self.texts.len() + 1];
        for code in &self.codes {
            if let Some(count) = uses.get_mut(*code as usize) {
                *count += 1;
            }
        }
        uses
    }

    /// Memory of the values in decoded events, of which equal ones share their text.
    fn bytes(&self) -> u64 {
        let used = self.uses().into_iter().skip(1).zip(&self.texts);
        let used = used.filter(|(uses, _)| *uses > 0);
        used.map(|(uses, text)| u64::from(uses) * VALUE_BYTES + TEXT_BYTES + text.len() as u64)
            .sum()
    }

    /// The texts that are used, the most frequent first, and the codes of `rows` in them.
    pub fn write(&self, rows: &[u32], packer: &mut Packer) -> Vec<u8> {
        let uses = self.uses();
        let mut used: Vec<(u32, &str, u32)> = (1..)
            .zip(&self.texts)
            .zip(uses.iter().skip(1))
            .filter(|(_, count)| **count > 0)
            .map(|((code, text), count)| (u32::MAX - count, text.as_ref(), code))
            .collect();
        used.sort_unstable();
        let mut renumbered = vec![0u32; self.texts.len() + 1];
        for (new, (_, _, old)) in (1..).zip(&used) {
            if let Some(place) = renumbered.get_mut(*old as usize) {
                *place = new;
            }
        }
        let codes: Vec<u32> = gather(&self.codes, rows).map(|code| at(&renumbered, code)).collect();
        write_texts(used.iter().map(|(_, text, _)| *text), &codes, packer)
    }
}

pub(super) fn at<T: Copy + Default>(values: &[T], index: u32) -> T {
    values.get(index as usize).copied().unwrap_or_default()
}

pub(super) fn gather<T: Copy + Default>(values: &[T], rows: &[u32]) -> impl Iterator<Item = T> {
    rows.iter().map(|row| at(values, *row))
}

impl Table {
    pub fn from_events(events: &[Event]) -> Self {
        let mut table = Self::default();
        for event in events {
            let row = table.times.len();
            table.times.push(event.time);
            table.visitors.push(event.visitor);
            table.sessions.push(event.session);
            for (field, value) in &event.values {
                let column = table.columns.entry(field.number()).or_default();
                let code = column.code_of(Arc::clone(value));
                column.codes.resize(row, 0);
                column.codes.push(code);
            }
        }
        table.pad();
        table
    }

    /// Gives all columns the length of the times.
    fn pad(&mut self) {
        for column in self.columns.values_mut() {
            column.codes.resize(self.times.len(), 0);
        }
    }

    pub fn read(columns: &[(u8, impl AsRef<[u8]>)]) -> Result<Self, Damaged> {
        let column = |number| {
            columns
                .iter()
                .find(|(of, _)| *of == number)
                .map(|(_, bytes)| bytes.as_ref())
        };
        let mut unpacker = Unpacker::new()?;
        let times = column(TIME).ok_or(Damaged)?;
        let TimeHeader { events, .. } = read_time_header(times)?;
        let mut table = Self {
            times: read_times(times, &mut unpacker)?,
            visitors: read_ids(column(VISITOR).ok_or(Damaged)?, events, &mut unpacker)?,
            sessions: read_ids(column(SESSION).ok_or(Damaged)?, events, &mut unpacker)?,
            columns: BTreeMap::new(),
        };
        for (number, bytes) in columns
            .iter()
            .filter(|(number, _)| ![TIME, VISITOR, SESSION].contains(number) && !is_rollup(*number))
        {
            Field::from_number(*number).ok_or(Damaged)?;
            let texts = read_texts(bytes.as_ref(), events, &mut unpacker)?;
            let mut column = TextColumn::default();
            let codes: Vec<u32> = std::iter::once(0)
                .chain(texts.iter().map(|text| column.code_of(text.into())))
                .collect();
            column.codes = texts.codes.iter().map(|code| at(&codes, *code)).collect();
            table.columns.insert(*number, column);
        }
        Ok(table)
    }

    /// `None`: all values are null.
    pub fn column(&self, field: Field) -> Option<&TextColumn> {
        self.columns.get(&field.number())
    }

    pub fn append(&mut self, other: Self) {
        let rows = self.times.len();
        self.times.extend(other.times);
        self.visitors.extend(other.visitors);
        self.sessions.extend(other.sessions);
        for (number, added) in other.columns {
            let column = self.columns.entry(number).or_default();
            column.codes.resize(rows, 0);
            let codes: Vec<u32> = std::iter::once(0)
                .chain(added.texts.into_iter().map(|text| column.code_of(text)))
                .collect();
            column.codes.extend(added.codes.iter().map(|code| at(&codes, *code)));
        }
        self.pad();
    }

    /// Returns whether there were events of the visitors.
    pub fn remove_visitors(&mut self, visitors: &HashSet<u64>) -> bool {
        let rows: Vec<u32> = (0..)
            .zip(&self.visitors)
            .filter(|(_, of)| !visitors.contains(of))
            .map(|(row, _)| row)
            .collect();
        if rows.len() == self.visitors.len() {
            return false;
        }
        self.times = gather(&self.times, &rows).collect();
        self.visitors = gather(&self.visitors, &rows).collect();
        self.sessions = gather(&self.sessions, &rows).collect();
        for column in self.columns.values_mut() {
            column.codes = gather(&column.codes, &rows).collect();
        }
        true
    }

    pub fn encode(&self) -> Encoded {
        let mut rows: Vec<u32> = (0..self.times.len() as u32).collect();
        rows.sort_by_key(|row| {
            (
                at(&self.visitors, *row),
                at(&self.sessions, *row),
                at(&self.times, *row),
            )
        });
        let times: Vec<i64> = gather(&self.times, &rows).collect();
        let visitors: Vec<u64> = gather(&self.visitors, &rows).collect();
        let sessions: Vec<u64> = gather(&self.sessions, &rows).collect();
        let TimeHeader { events, first, last } = TimeHeader::of(&times);
        let packer = &mut Packer::new();
        let mut columns = vec![
            (TIME, write_times(&times, packer)),
            (VISITOR, write_ids(&visitors, packer)),
            (SESSION, write_ids(&sessions, packer)),
        ];
        let used = self
            .columns
            .iter()
            .filter(|(_, column)| column.codes.iter().any(|code| *code != 0));
        columns.extend(used.map(|(number, column)| (*number, column.write(&rows, packer))));
        let values: u64 = self.columns.values().map(TextColumn::bytes).sum();
        Encoded {
            events,
            first,
            last,
            bytes: u64::from(events) * EVENT_BYTES + values,
            columns,
        }
    }

    pub fn into_events(self) -> Vec<Event> {
        let rows: Vec<u32> = (0..self.times.len() as u32).collect();
        let mut events = self.events(&rows);
        events.sort_by_key(|event| event.time);
        events
    }

    /// The events of these rows.
    pub fn events(&self, rows: &[u32]) -> Vec<Event> {
        let event = |row: &u32| Event {
            time: at(&self.times, *row),
            visitor: at(&self.visitors, *row),
            session: at(&self.sessions, *row),
            values: Vec::new(),
        };
        let mut events: Vec<Event> = rows.iter().map(event).collect();
        for (number, column) in &self.columns {
            let Some(field) = Field::from_number(*number) else {
                continue;
            };
            for (event, code) in events.iter_mut().zip(gather(&column.codes, rows)) {
                if let Some(text) = code.checked_sub(1).and_then(|index| column.texts.get(index as usize)) {
                    event.values.push((field, Arc::clone(text)));
                }
            }
        }
        events
    }
}
