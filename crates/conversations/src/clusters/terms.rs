//! The terms of an issue.

use std::collections::HashMap;

use super::vector;
use crate::{FoundIssue, language::Language};

/// The most terms of an issue.
const MAX_TERMS: usize = 64;

/// The weight of a word of the title, if that of a word of the summary is one.
const TITLE_WEIGHT: f32 = 2.0;

/// The terms of an issue: hashes of stems with their weights, a vector of the length 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Terms(pub(super) Vec<(u64, f32)>);

impl Terms {
    /// The terms in the order of their hashes. [`Frequencies`] counts each once for an issue.
    pub fn hashes(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|(hash, _)| *hash)
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        vector::to_bytes(&self.0)
    }

    /// Returns stored terms. `None`: the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        vector::from_bytes(bytes, MAX_TERMS).map(Self)
    }
}

/// In how many issues of an organization terms occur.
#[derive(Debug, Clone, Default)]
pub struct Frequencies {
    pub issues: u64,
    /// Terms that are absent occur in one issue.
    pub of: HashMap<u64, u64>,
}

impl Frequencies {
    /// Counts the terms of one more issue.
    pub fn count(&mut self, terms: &Terms) {
        self.issues += 1;
        for hash in terms.hashes() {
            *self.of.entry(hash).or_default() += 1;
        }
    }

    /// Returns the weight of a term by its rarity. It is never 0, so that the first issues can be compared as well.
    pub(super) fn rarity(&self, hash: u64) -> f32 {
        let issues = self.of.get(&hash).copied().unwrap_or(1).max(1);
        let share = (self.issues.max(issues) + 1) as f32 / issues as f32;
        share.ln_1p()
    }
}

/// Returns the terms of an issue.
pub fn terms(issue: &FoundIssue) -> Terms {
    let language = Language::detect(&format!("{}\n{}", issue.title, issue.summary));
    let mut weights: HashMap<u64, (usize, f32)> = HashMap::new();
    for (text, weight) in [(&issue.title, TITLE_WEIGHT), (&issue.summary, 1.0)] {
        language.for_each_stem(text, |stem| {
            let place = weights.len();
            weights.entry(hash(stem)).or_insert((place, 0.0)).1 += weight;
        });
    }
    let mut terms: Vec<(u64, (usize, f32))> = weights.into_iter().collect();
    // Of terms with the same weight, the first say most.
    terms.sort_unstable_by(|(_, (a_place, a)), (_, (b_place, b))| b.total_cmp(a).then(a_place.cmp(b_place)));
    terms.truncate(MAX_TERMS);
    let mut terms: Vec<(u64, f32)> = terms
        .into_iter()
        .map(|(hash, (_, weight))| (hash, 1.0 + weight.ln()))
        .collect();
    let length = terms.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    for (_, weight) in &mut terms {
        *weight /= length;
    }
    terms.sort_unstable_by_key(|(hash, _)| *hash);
    Terms(terms)
}

/// The hash of a stem: FNV-1a. It is stored, so it is the same in every version.
pub(super) fn hash(stem: &str) -> u64 {
    let bytes = stem.bytes();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
