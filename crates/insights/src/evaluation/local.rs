//! One segment, as far as a query needs it.

use std::collections::BTreeMap;

use super::rows::Rows;
use crate::event::Field;
use crate::query::{Column, Dimension, Query};
use crate::segment::{
    COUNT, Damaged, Encoded, SESSION, TIME, Texts, TimeHeader, Unpacker, VISITOR, read_ids, read_texts,
    read_time_header, read_times,
};
use crate::zone::{Buckets, Interval, Zone};

fn column(columns: &[(u8, impl AsRef<[u8]>)], number: u8) -> Option<&[u8]> {
    let (_, bytes) = columns.iter().find(|(of, _)| *of == number)?;
    Some(bytes.as_ref())
}

/// Columns that the query does not need are empty.
pub(super) struct Local {
    pub header: TimeHeader,
    pub times: Vec<i64>,
    pub visitors: Vec<u64>,
    pub sessions: Vec<u64>,
    /// In a rollup: how many events a row stands for.
    pub counts: Option<Vec<u64>>,
    pub zone: Zone,
    texts: BTreeMap<u8, Texts>,
}

impl Local {
    /// From the columns of the segment, or from the rollup that answers the query. `None` if no event of the segment is in
    /// the range.
    pub fn read(query: &Query, columns: &[(u8, impl AsRef<[u8]>)]) -> Result<Option<Self>, Damaged> {
        if column(columns, TIME).is_some() {
            return Self::read_columns(query, columns);
        }
        let rollup = query.rollup().and_then(|number| column(columns, number));
        let rollup = Encoded::columns_from_bytes(&Unpacker::new()?.unpack(rollup.ok_or(Damaged)?)?)?;
        Self::read_columns(query, &rollup)
    }

    fn read_columns(query: &Query, columns: &[(u8, impl AsRef<[u8]>)]) -> Result<Option<Self>, Damaged> {
        let column = |number| column(columns, number);
        let times = column(TIME).ok_or(Damaged)?;
        let header = read_time_header(times)?;
        if header.events == 0 || header.last < query.from || query.to <= header.first {
            return Ok(None);
        }
        let mut unpacker = Unpacker::new()?;
        let mut local = Self {
            header,
            times: Vec::new(),
            visitors: Vec::new(),
            sessions: Vec::new(),
            counts: None,
            zone: query.zone.clone(),
            texts: BTreeMap::new(),
        };
        if !local.is_in_range(query) || local.needs_times(query) {
            local.times = read_times(times, &mut unpacker)?;
        }
        if let Some(counts) = column(COUNT) {
            local.counts = Some(read_ids(counts, header.events, &mut unpacker)?);
        }
        for number in query.columns() {
            match number {
                TIME => {}
                VISITOR => local.visitors = read_ids(column(VISITOR).ok_or(Damaged)?, header.events, &mut unpacker)?,
                SESSION => local.sessions = read_ids(column(SESSION).ok_or(Damaged)?, header.events, &mut unpacker)?,
                _ => {
                    if let Some(bytes) = column(number) {
                        local
                            .texts
                            .insert(number, read_texts(bytes, header.events, &mut unpacker)?);
                    }
                }
            }
        }
        Ok(Some(local))
    }

    const fn is_in_range(&self, query: &Query) -> bool {
        query.from <= self.header.first && self.header.last < query.to
    }

    fn needs_times(&self, query: &Query) -> bool {
        let filtered = query.filters.iter().map(|filter| filter.column.clone());
        let mut columns = query.groups().into_iter().map(Column::Dimension).chain(filtered);
        columns.any(|column| match column {
            Column::Dimension(Dimension::Time { interval: None }) => true,
            Column::Dimension(Dimension::Time {
                interval: Some(interval),
            }) => !self
                .buckets(interval)
                .part(self.header.first)
                .contains(self.header.last),
            _ => false,
        })
    }

    pub fn buckets(&self, interval: Interval) -> Buckets {
        Buckets::new(
            &self.zone,
            interval,
            self.header.first,
            self.header.last.saturating_add(1),
        )
    }

    pub fn rows_in_range(&self, query: &Query) -> Rows {
        let mut rows = Rows::all(self.header.events);
        if !self.is_in_range(query) {
            rows.retain_by(&self.times, |time| query.from <= *time && *time < query.to);
        }
        rows
    }

    /// The texts of a field; `None` if all are null.
    pub fn texts(&self, field: Field) -> Option<&Texts> {
        self.texts.get(&field.number())
    }
}
