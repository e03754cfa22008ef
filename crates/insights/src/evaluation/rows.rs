//! Rows of a segment.

use std::borrow::Cow;

pub(super) struct Rows {
    events: u32,
    /// `None`: all of them. A row may come more than once.
    selected: Option<Vec<u32>>,
}

impl Rows {
    pub const fn all(events: u32) -> Self {
        Self { events, selected: None }
    }

    pub fn len(&self) -> usize {
        self.selected.as_ref().map_or(self.events as usize, Vec::len)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps the rows whose value fulfills the condition.
    pub fn retain_by<T>(&mut self, values: &[T], condition: impl Fn(&T) -> bool) {
        match &mut self.selected {
            None => {
                // Without a branch that depends on the values.
                let mut rows = vec![0; self.events as usize];
                let mut length = 0;
                for (row, value) in (0..self.events).zip(values) {
                    if let Some(place) = rows.get_mut(length) {
                        *place = row;
                    }
                    length += usize::from(condition(value));
                }
                rows.truncate(length);
                self.selected = Some(rows);
            }
            Some(rows) => rows.retain(|row| values.get(*row as usize).is_some_and(&condition)),
        }
    }

    /// Parts of the rows: the lists of the codes of each have about `max` members together.
    pub fn split(self, codes: &[u32], lists: &[Vec<u32>], max: usize) -> Vec<Self> {
        let Self { events, selected } = self;
        let members = |row: u32| codes.get(row as usize).and_then(|code| lists.get(*code as usize));
        let (mut parts, mut part, mut length) = (Vec::new(), Vec::new(), 0);
        for row in selected.unwrap_or_else(|| (0..events).collect()) {
            length += members(row).map_or(0, Vec::len);
            part.push(row);
            if length >= max {
                parts.push(std::mem::take(&mut part));
                length = 0;
            }
        }
        parts.push(part);
        let rows = |part| Self {
            events,
            selected: Some(part),
        };
        parts.into_iter().map(rows).collect()
    }

    /// Replaces each row by as many as there are in the list of its code, and returns the members of the lists.
    pub fn expand(&mut self, codes: &[u32], lists: &[Vec<u32>]) -> Vec<u32> {
        let codes = self.gather(codes);
        let rows: Vec<u32> = match self.selected.take() {
            None => (0..self.events).collect(),
            Some(rows) => rows,
        };
        let (mut expanded, mut members) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for (row, code) in rows.into_iter().zip(codes.iter()) {
            for member in lists.get(*code as usize).into_iter().flatten() {
                expanded.push(row);
                members.push(*member);
            }
        }
        self.selected = Some(expanded);
        members
    }

    /// The values of the rows.
    pub fn gather<'a, T: Copy + Default>(&self, values: &'a [T]) -> Cow<'a, [T]> {
        match &self.selected {
            None => Cow::Borrowed(values),
            Some(rows) => Cow::Owned(
                rows.iter()
                    .map(|row| values.get(*row as usize).copied().unwrap_or_default())
                    .collect(),
            ),
        }
    }
}
