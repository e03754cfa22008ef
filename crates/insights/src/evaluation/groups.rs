//! Groups of events and what is counted in them.

use std::borrow::Cow;

use ahash::RandomState;
use hashbrown::HashTable;

use super::dimension::{Properties, codes, pair};
use super::distinct::Distinct;
use super::key::{Interner, Key};
use super::kinds::{feedback, ratings};
use super::local::Local;
use super::rows::Rows;
use super::{AddError, MAX_GROUPS};
use crate::query::{Dimension, Metric, Value};

/// The groups of one segment.
pub(super) struct Grouping<'a> {
    pub rows: Rows,
    /// For each row the code of its group.
    codes: Cow<'a, [u32]>,
    /// For each row how many events it stands for, if that is not one.
    counts: Option<Cow<'a, [u64]>>,
    /// The keys of each dimension by its codes.
    keys: Vec<Vec<Key<'a>>>,
    /// For each dimension after the first: what the codes of the groups up to it are made of.
    pairs: Vec<Vec<(u32, u32)>>,
}

impl<'a> Grouping<'a> {
    /// An event with several claims has several rows if they are grouped by.
    pub fn new(
        local: &'a Local,
        dimensions: &[Dimension],
        mut rows: Rows,
        properties: Option<&Properties<'a>>,
    ) -> Self {
        let mut properties = properties.map(|properties| {
            (
                rows.expand(&properties.codes, &properties.lists),
                properties.keys.clone(),
            )
        });
        let mut grouping = Self {
            rows,
            codes: Cow::Borrowed(&[]),
            counts: None,
            keys: Vec::new(),
            pairs: Vec::new(),
        };
        if dimensions.is_empty() {
            grouping.codes = Cow::Owned(vec![0; grouping.rows.len()]);
        }
        for dimension in dimensions {
            let (codes, keys) = match (
                dimension,
                properties.take_if(|_| *dimension == Dimension::ClaimProperty),
            ) {
                (_, Some((codes, keys))) => (Cow::Owned(codes), keys),
                (dimension, None) => {
                    let coded = codes(local, dimension);
                    let gathered = match coded.codes {
                        Cow::Borrowed(codes) => grouping.rows.gather(codes),
                        Cow::Owned(codes) => Cow::Owned(grouping.rows.gather(&codes).into_owned()),
                    };
                    (gathered, coded.keys)
                }
            };
            if grouping.keys.is_empty() {
                grouping.codes = codes;
            } else {
                let (paired, pairs) = pair(&grouping.codes, (&codes, keys.len()));
                grouping.codes = Cow::Owned(paired);
                grouping.pairs.push(pairs);
            }
            grouping.keys.push(keys);
        }
        grouping.counts = local.counts.as_ref().map(|counts| grouping.rows.gather(counts));
        grouping
    }

    /// For each code how many events have it.
    fn event_counts(&self) -> Vec<u64> {
        let codes = match (self.pairs.last(), self.keys.first()) {
            (Some(pairs), _) => pairs.len(),
            (None, Some(keys)) => keys.len(),
            (None, None) => 1,
        };
        let mut counts = vec![0; codes];
        let mut add = |code: u32, events| {
            if let Some(count) = counts.get_mut(code as usize) {
                *count += events;
            }
        };
        match &self.counts {
            None => self.codes.iter().for_each(|code| add(*code, 1)),
            Some(events) => self
                .codes
                .iter()
                .zip(events.iter())
                .for_each(|(code, events)| add(*code, *events)),
        }
        counts
    }

    /// The values of the rows, those of each code together: memory is then read and written group by group.
    fn sort_by_code(&self, values: &[u64], event_counts: &[u64]) -> Vec<u64> {
        let mut end = 0;
        let start_of = |rows: &u64| {
            let start = end;
            end += *rows as usize;
            start
        };
        let mut next: Vec<usize> = event_counts.iter().map(start_of).collect();
        let mut sorted = vec![0; values.len()];
        for (code, value) in self.codes.iter().zip(values) {
            if let Some(next) = next.get_mut(*code as usize)
                && let Some(place) = sorted.get_mut(*next)
            {
                *place = *value;
                *next += 1;
            }
        }
        sorted
    }
}

/// The groups of all segments.
pub(super) struct Groups {
    pub interners: Vec<Interner>,
    /// For each group the numbers of its keys.
    members: Vec<u32>,
    index: HashTable<u32>,
    state: RandomState,
    length: usize,
    tallies: Vec<(Metric, Tally)>,
    distinct_bytes: isize,
    max_bytes: usize,
}

/// Of a key that has no number yet.
const UNKNOWN: u32 = u32::MAX;

/// Counts of one metric by group.
enum Tally {
    Events(Vec<u64>),
    Distinct(Vec<Distinct>),
    /// As many events of each kind.
    Kinds(Vec<[u64; 3]>),
}

impl Groups {
    pub fn new(dimensions: usize, metrics: &[Metric], max_bytes: usize) -> Self {
        let tally_of = |metric: &Metric| match metric {
            Metric::Events => (*metric, Tally::Events(Vec::new())),
            Metric::Sessions | Metric::Visitors => (*metric, Tally::Distinct(Vec::new())),
            Metric::PageFeedback | Metric::AskRatings => (*metric, Tally::Kinds(Vec::new())),
        };
        let mut groups = Self {
            interners: (0..dimensions).map(|_| Interner::default()).collect(),
            members: Vec::new(),
            index: HashTable::new(),
            state: RandomState::new(),
            length: 0,
            tallies: metrics.iter().map(tally_of).collect(),
            distinct_bytes: 0,
            max_bytes,
        };
        if dimensions == 0 {
            groups.length = 1;
            groups.resize_tallies();
        }
        groups
    }

    pub const fn len(&self) -> usize {
        self.length
    }

    /// For each code that rows have the number of its group. New groups are made.
    fn ids(&mut self, grouping: &Grouping<'_>, event_counts: &[u64]) -> Result<Vec<u32>, AddError> {
        let mut ids = vec![0; event_counts.len()];
        if grouping.keys.is_empty() {
            return Ok(ids);
        }
        let mut interned: Vec<Vec<u32>> = grouping.keys.iter().map(|keys| vec![UNKNOWN; keys.len()]).collect();
        let mut member = vec![0; grouping.keys.len()];
        for ((code, id), rows) in (0..).zip(&mut ids).zip(event_counts) {
            if *rows > 0 {
                self.intern(grouping, code, &mut interned, &mut member);
                *id = self.id_of(&member)?;
            }
        }
        self.resize_tallies();
        Ok(ids)
    }

    /// Writes the numbers of the keys of a local group to `member`.
    fn intern(&mut self, grouping: &Grouping<'_>, mut code: u32, interned: &mut [Vec<u32>], member: &mut [u32]) {
        for dimension in (0..grouping.keys.len()).rev() {
            let mut of_dimension = code;
            if let Some(pairs) = dimension.checked_sub(1).and_then(|index| grouping.pairs.get(index))
                && let Some((before, own)) = pairs.get(code as usize)
            {
                (code, of_dimension) = (*before, *own);
            }
            let (Some(keys), Some(interned), Some(interner), Some(place)) = (
                grouping.keys.get(dimension),
                interned.get_mut(dimension),
                self.interners.get_mut(dimension),
                member.get_mut(dimension),
            ) else {
                continue;
            };
            let (Some(key), Some(number)) = (keys.get(of_dimension as usize), interned.get_mut(of_dimension as usize))
            else {
                continue;
            };
            if *number == UNKNOWN {
                *number = interner.intern(key);
            }
            *place = *number;
        }
    }

    fn id_of(&mut self, member: &[u32]) -> Result<u32, AddError> {
        let has_room = self.length < MAX_GROUPS && self.has_room();
        let Self {
            members,
            index,
            state,
            length,
            ..
        } = self;
        let width = member.len();
        let member_of = |id: &u32| {
            members
                .get(*id as usize * width..(*id as usize + 1) * width)
                .unwrap_or_default()
        };
        let hash = state.hash_one(member);
        if let Some(id) = index.find(hash, |id| member_of(id) == member) {
            return Ok(*id);
        }
        if !has_room {
            return Err(AddError::TooManyGroups);
        }
        let id = *length as u32;
        index.insert_unique(hash, id, |id| state.hash_one(member_of(id)));
        members.extend(member);
        *length += 1;
        Ok(id)
    }

    /// Makes groups without events of those keys of the only dimension that have none.
    pub fn ensure<'a>(&mut self, keys: impl Iterator<Item = Key<'a>>) {
        for key in keys {
            let Some(number) = self.interners.first_mut().map(|interner| interner.intern(&key)) else {
                return;
            };
            // The number of intervals has been checked with the query.
            if self.id_of(&[number]).is_err() {
                return;
            }
        }
        self.resize_tallies();
    }

    fn resize_tallies(&mut self) {
        for (_, tally) in &mut self.tallies {
            match tally {
                Tally::Events(counts) => counts.resize(self.length, 0),
                Tally::Distinct(counts) => counts.resize_with(self.length, Distinct::default),
                Tally::Kinds(counts) => counts.resize(self.length, [0; 3]),
            }
        }
    }

    /// Counts the rows of a segment.
    pub fn count(&mut self, local: &Local, grouping: &Grouping<'_>) -> Result<(), AddError> {
        let event_counts = grouping.event_counts();
        let ids = self.ids(grouping, &event_counts)?;
        let ids_of_rows = || {
            grouping
                .codes
                .iter()
                .map(|code| ids.get(*code as usize).copied().unwrap_or(UNKNOWN))
        };
        for (metric, tally) in &mut self.tallies {
            match tally {
                Tally::Events(counts) => {
                    for (id, rows) in ids.iter().zip(&event_counts) {
                        if let Some(count) = counts.get_mut(*id as usize) {
                            *count += rows;
                        }
                    }
                }
                Tally::Distinct(counts) => {
                    let hashes = if *metric == Metric::Visitors {
                        &local.visitors
                    } else {
                        &local.sessions
                    };
                    let by_code = grouping.sort_by_code(&grouping.rows.gather(hashes), &event_counts);
                    let mut rest = by_code.as_slice();
                    for (id, rows) in ids.iter().zip(&event_counts) {
                        let Some((of_code, others)) = rest.split_at_checked(*rows as usize) else {
                            break;
                        };
                        rest = others;
                        if let Some(count) = counts.get_mut(*id as usize) {
                            self.distinct_bytes += count.extend(of_code);
                        }
                    }
                }
                Tally::Kinds(counts) => {
                    let kinds = if *metric == Metric::PageFeedback {
                        feedback(local)
                    } else {
                        ratings(local)
                    };
                    let Some(kinds) = kinds else { continue };
                    for (id, kind) in ids_of_rows().zip(grouping.rows.gather(&kinds).iter()) {
                        let count = counts
                            .get_mut(id as usize)
                            .and_then(|counts| counts.get_mut(usize::from(*kind)));
                        if let Some(count) = count {
                            *count += 1;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    pub fn merge(&mut self, mut other: Self) -> Result<(), AddError> {
        let mut interned: Vec<Vec<Option<u32>>> = other
            .interners
            .iter()
            .map(|interner| vec![None; interner.len()])
            .collect();
        let width = self.interners.len();
        let mut ids = Vec::with_capacity(other.length);
        let mut member = vec![0; width];
        for group in 0..other.length {
            for (dimension, place) in member.iter_mut().enumerate() {
                let theirs = other
                    .members
                    .get(group * width + dimension)
                    .copied()
                    .unwrap_or_default();
                let number = interned
                    .get_mut(dimension)
                    .and_then(|numbers| numbers.get_mut(theirs as usize));
                let (Some(number), Some(from), Some(into)) = (
                    number,
                    other.interners.get(dimension),
                    self.interners.get_mut(dimension),
                ) else {
                    continue;
                };
                *place = *number.get_or_insert_with(|| into.intern(from.get(theirs)));
            }
            ids.push(if width == 0 { 0 } else { self.id_of(&member)? });
        }
        self.resize_tallies();
        for ((_, tally), (_, added)) in self.tallies.iter_mut().zip(&mut other.tallies) {
            self.distinct_bytes += tally.merge(added, &ids);
        }
        Ok(())
    }

    /// Returns whether the groups take no more memory than they may.
    pub fn has_room(&self) -> bool {
        self.bytes() <= self.max_bytes
    }

    /// Bytes that the groups take.
    fn bytes(&self) -> usize {
        let interned: usize = self.interners.iter().map(Interner::bytes).sum();
        let tallied: usize = self.tallies.iter().map(|(_, tally)| tally.bytes(self.length)).sum();
        interned
            + tallied
            + self.members.capacity() * 4
            + self.index.capacity() * 5
            + self.distinct_bytes.max(0) as usize
    }

    /// The key of a group in a dimension.
    pub fn key(&self, group: usize, dimension: usize) -> &Key<'static> {
        let number = self.members.get(group * self.interners.len() + dimension);
        match (number, self.interners.get(dimension)) {
            (Some(number), Some(interner)) => interner.get(*number),
            _ => &Key::Null,
        }
    }

    /// The value of a metric in all groups, one after the other.
    pub fn values(&mut self, metric: Metric) -> Vec<Value> {
        let Some((_, tally)) = self.tallies.iter_mut().find(|(of, _)| *of == metric) else {
            return Vec::new();
        };
        match tally {
            Tally::Events(counts) => counts.iter().map(|count| Value::Number(*count as f64)).collect(),
            Tally::Distinct(counts) => counts
                .iter_mut()
                .map(|count| Value::Number(count.count() as f64))
                .collect(),
            Tally::Kinds(counts) if metric == Metric::PageFeedback => counts
                .iter()
                .map(|[ok, good, bad]| Value::Feedback {
                    ok: *ok,
                    good: *good,
                    bad: *bad,
                })
                .collect(),
            Tally::Kinds(counts) => counts
                .iter()
                .map(|[positive, negative, _]| Value::Ratings {
                    positive: *positive,
                    negative: *negative,
                })
                .collect(),
        }
    }
}

impl Tally {
    fn merge(&mut self, added: &mut Self, ids: &[u32]) -> isize {
        let mut grown = 0;
        match (self, added) {
            (Self::Events(ours), Self::Events(theirs)) => {
                for (id, added) in ids.iter().zip(theirs) {
                    if let Some(count) = ours.get_mut(*id as usize) {
                        *count += *added;
                    }
                }
            }
            (Self::Distinct(ours), Self::Distinct(theirs)) => {
                for (id, added) in ids.iter().zip(theirs) {
                    if let Some(count) = ours.get_mut(*id as usize) {
                        grown += count.merge(std::mem::take(added));
                    }
                }
            }
            (Self::Kinds(ours), Self::Kinds(theirs)) => {
                for (id, added) in ids.iter().zip(theirs) {
                    for (count, added) in ours.get_mut(*id as usize).into_iter().flatten().zip(added) {
                        *count += *added;
                    }
                }
            }
            _ => {}
        }
        grown
    }

    /// Bytes for so many groups.
    fn bytes(&self, groups: usize) -> usize {
        match self {
            Self::Events(counts) => counts.capacity().max(groups) * size_of::<u64>(),
            Self::Distinct(counts) => counts.capacity().max(groups) * size_of::<Distinct>(),
            Self::Kinds(counts) => counts.capacity().max(groups) * size_of::<[u64; 3]>(),
        }
    }
}
