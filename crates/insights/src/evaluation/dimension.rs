//! The dimensions of a segment: for each event a code, and for each code what it stands for.

use std::borrow::Cow;

use ahash::{HashMap, HashMapExt};
use h3o::{LatLng, Resolution};

use super::claims;
use super::key::Key;
use super::local::Local;
use crate::event::Field;
use crate::query::Dimension;
use crate::zone::Interval;

/// Several codes may stand for equal keys.
pub(super) struct Coded<'a> {
    pub codes: Cow<'a, [u32]>,
    pub keys: Vec<Key<'a>>,
}

/// The codes of a dimension that has one value per event: all but the properties of claims.
pub(super) fn codes<'a>(local: &'a Local, dimension: &Dimension) -> Coded<'a> {
    match dimension {
        Dimension::Time { interval: None } => Coded {
            codes: (0..local.header.events).collect(),
            keys: local.times.iter().map(|time| Key::Time(*time)).collect(),
        },
        Dimension::Time {
            interval: Some(interval),
        } => buckets(local, *interval),
        Dimension::Field(field) => texts(local, *field, |text| Key::Text(Cow::Borrowed(text))),
        Dimension::Page => pages(local),
        Dimension::Point { precision } => {
            let resolution = Resolution::try_from(*precision).unwrap_or(Resolution::Fifteen);
            texts(local, Field::Point, |text| match parse_point(text) {
                Some(point) => Key::Cell(point.to_cell(resolution).into()),
                None => Key::Null,
            })
        }
        Dimension::Claim(path) => texts(local, Field::Claims, |text| {
            let value = claims::parse(text).and_then(|claims| claims::at_path(&claims, path));
            value.map_or(Key::Null, |value| Key::Text(Cow::Owned(value)))
        }),
        Dimension::ClaimProperty => texts(local, Field::Claims, |_| Key::Null),
    }
}

/// For each code the values of its text, null first.
fn texts<'a>(local: &'a Local, field: Field, key_of: impl Fn(&'a str) -> Key<'a>) -> Coded<'a> {
    match local.texts(field) {
        None => Coded {
            codes: vec![0; local.header.events as usize].into(),
            keys: vec![Key::Null],
        },
        Some(texts) => Coded {
            codes: Cow::Borrowed(&texts.codes),
            keys: std::iter::once(Key::Null).chain(texts.iter().map(key_of)).collect(),
        },
    }
}

/// `latitude,longitude` in degrees.
pub(crate) fn parse_point(text: &str) -> Option<LatLng> {
    let (latitude, longitude) = text.split_once(',')?;
    LatLng::new(latitude.parse().ok()?, longitude.parse().ok()?).ok()
}

/// The properties of the claims of a segment.
pub(super) struct Properties<'a> {
    /// The claims of each event.
    pub codes: Cow<'a, [u32]>,
    /// For each code of the claims the codes of their properties.
    pub lists: Vec<Vec<u32>>,
    /// For each code of a property what it stands for.
    pub keys: Vec<Key<'a>>,
}

pub(super) fn claim_properties(local: &Local) -> Properties<'_> {
    let mut keys = vec![Key::Null];
    let mut numbers = HashMap::new();
    let Coded { codes, .. } = texts(local, Field::Claims, |_| Key::Null);
    let mut lists = vec![vec![0]];
    for text in local.texts(Field::Claims).into_iter().flat_map(|texts| texts.iter()) {
        let names = claims::parse(text).unwrap_or_default();
        let mut of_text: Vec<u32> = names
            .into_iter()
            .map(|(name, _)| {
                *numbers.entry(name).or_insert_with_key(|name| {
                    keys.push(Key::Text(Cow::Owned(name.clone())));
                    keys.len() as u32 - 1
                })
            })
            .collect();
        if of_text.is_empty() {
            of_text.push(0);
        }
        lists.push(of_text);
    }
    Properties { codes, lists, keys }
}

fn buckets<'a>(local: &Local, interval: Interval) -> Coded<'a> {
    let buckets = local.buckets(interval);
    let (mut parts, mut keys) = (Vec::new(), Vec::new());
    let mut numbers = HashMap::new();
    let mut time = local.header.first;
    while time <= local.header.last {
        let part = buckets.part(time);
        let code = *numbers.entry(part.bucket).or_insert_with(|| {
            keys.push(Key::Time(part.bucket));
            keys.len() as u32 - 1
        });
        parts.push((part, code));
        time = part.end;
    }
    if let [(_, code)] = parts.as_slice() {
        return Coded {
            codes: vec![*code; local.header.events as usize].into(),
            keys,
        };
    }
    let mut last = parts.first().copied();
    let codes = local.times.iter().map(|time| {
        if !last.is_some_and(|(part, _)| part.contains(*time)) {
            last = parts.get(parts.partition_point(|(part, _)| part.end <= *time)).copied();
        }
        last.map_or(0, |(_, code)| code)
    });
    Coded {
        codes: codes.collect(),
        keys,
    }
}

fn pages(local: &Local) -> Coded<'_> {
    let spaces = texts(local, Field::Space, |text| Key::Text(Cow::Borrowed(text)));
    let pages = texts(local, Field::Page, |text| Key::Text(Cow::Borrowed(text)));
    let (codes, pairs) = pair(&spaces.codes, (&pages.codes, pages.keys.len()));
    let keys = pairs.iter().map(|(space, page)| match text_of(&spaces.keys, *space) {
        Some(space) => Key::Page(space, text_of(&pages.keys, *page)),
        None => Key::Null,
    });
    let keys = keys.collect();
    Coded {
        codes: codes.into(),
        keys,
    }
}

fn text_of<'a>(keys: &[Key<'a>], code: u32) -> Option<Cow<'a, str>> {
    match keys.get(code as usize) {
        Some(Key::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

/// Codes of the pairs of two codes, and the pairs. The right side is its codes and how many there may be.
pub(super) fn pair(left: &[u32], right: (&[u32], usize)) -> (Vec<u32>, Vec<(u32, u32)>) {
    // For each right code the pair in which it came last: mostly it comes with the same left code again.
    let mut last = vec![(u32::MAX, 0); right.1];
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let mut pairs = Vec::new();
    let code_of = |(left, right): (&u32, &u32)| {
        let Some((last_left, last_code)) = last.get_mut(*right as usize) else {
            return 0;
        };
        if last_left != left {
            *last_left = *left;
            *last_code = *numbers.entry((*left, *right)).or_insert_with(|| {
                pairs.push((*left, *right));
                pairs.len() as u32 - 1
            });
        }
        *last_code
    };
    let codes = left.iter().zip(right.0).map(code_of).collect();
    (codes, pairs)
}
