//! Values that events are grouped by.

use std::borrow::Cow;

use ahash::RandomState;
use h3o::{CellIndex, LatLng};
use hashbrown::HashTable;

use crate::query::Value;

/// In ascending order: null first, texts by their bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key<'a> {
    Null,
    Text(Cow<'a, str>),
    Time(i64),
    Page(Cow<'a, str>, Option<Cow<'a, str>>),
    Cell(u64),
}

impl Key<'_> {
    pub fn into_owned(self) -> Key<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Key::Null,
            Self::Text(text) => Key::Text(own(text)),
            Self::Time(time) => Key::Time(time),
            Self::Page(space, page) => Key::Page(own(space), page.map(own)),
            Self::Cell(cell) => Key::Cell(cell),
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Self::Null | Self::Time(_) | Self::Cell(_) => 0,
            Self::Text(text) => text.len(),
            Self::Page(space, page) => space.len() + page.as_ref().map_or(0, |page| page.len()),
        }
    }

    /// `None` for a value that no event is grouped by.
    pub fn from_value(value: &Value) -> Option<Key<'static>> {
        let own = |text: &str| Cow::Owned(text.to_owned());
        Some(match value {
            Value::Null => Key::Null,
            Value::Text(text) => Key::Text(own(text)),
            Value::Time(time) => Key::Time(*time),
            Value::Page { space, page } => Key::Page(own(space), page.as_deref().map(own)),
            Value::Point { cell, .. } => Key::Cell(cell.parse::<CellIndex>().ok()?.into()),
            Value::Number(_) | Value::Feedback { .. } | Value::Ratings { .. } => return None,
        })
    }

    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Text(text) => Value::Text(text.as_ref().into()),
            Self::Time(time) => Value::Time(*time),
            Self::Page(space, page) => Value::Page {
                space: space.as_ref().into(),
                page: page.as_deref().map(Into::into),
            },
            Self::Cell(cell) => match CellIndex::try_from(*cell) {
                Ok(cell) => {
                    let center = LatLng::from(cell);
                    Value::Point {
                        latitude: center.lat(),
                        longitude: center.lng(),
                        cell: cell.to_string(),
                    }
                }
                Err(_) => Value::Null,
            },
        }
    }
}

/// Keys by number.
#[derive(Default)]
pub(super) struct Interner {
    keys: Vec<Key<'static>>,
    index: HashTable<u32>,
    state: RandomState,
    heap_bytes: usize,
}

impl Interner {
    pub fn intern(&mut self, key: &Key<'_>) -> u32 {
        let Self {
            keys,
            index,
            state,
            heap_bytes,
        } = self;
        let hash = state.hash_one(key);
        if let Some(id) = index.find(hash, |id| keys.get(*id as usize).is_some_and(|of| of == key)) {
            return *id;
        }
        let id = keys.len() as u32;
        index.insert_unique(hash, id, |id| {
            keys.get(*id as usize).map_or(0, |key| state.hash_one(key))
        });
        let owned = key.clone().into_owned();
        *heap_bytes += owned.heap_bytes();
        keys.push(owned);
        id
    }

    pub fn get(&self, id: u32) -> &Key<'static> {
        self.keys.get(id as usize).unwrap_or(&Key::Null)
    }

    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn bytes(&self) -> usize {
        self.heap_bytes + self.keys.capacity() * size_of::<Key<'static>>() + self.index.capacity() * 5
    }
}
