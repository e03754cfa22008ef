//! Upkeep of clusters: which are one, and which are several.

use std::{cmp::Reverse, collections::HashSet, hash::Hash};

use super::{
    centroid::Centroid,
    index::Index,
    terms::{Frequencies, Terms},
    vector,
};

/// The similarity from which on clusters are one: two that have one issue each, and two large ones. The first is less than that of an
/// issue with its cluster, because upkeep takes the most similar ones of all, where an issue takes what there is when it comes.
const MERGE_THRESHOLD: f32 = 0.15;
const MERGE_THRESHOLD_OF_LARGE: f32 = 0.25;

/// The similarity below which two halves of a cluster are two clusters. It is less than that of a merge, so that a split is
/// not undone.
const SPLIT_THRESHOLD: f32 = 0.1;

/// The least issues of a part that becomes a cluster of its own.
const MIN_PART: usize = 3;

/// The most rounds in which the issues of a cluster are distributed to its halves.
const MAX_ROUNDS: usize = 12;

/// A change of clusters that has become necessary.
#[derive(Debug, Clone, PartialEq)]
pub enum Change<K> {
    /// The issues of one cluster belong to another one.
    Merge { from: K, into: K },
    /// The issues of a cluster, by their places, belong to several. The largest part is first.
    Split { of: K, members: Vec<Vec<usize>> },
}

/// Finds clusters that are the same as other ones. No cluster is in two of the changes.
pub fn merges<K: Clone + Eq + Hash>(index: &Index<K>, of: &[K], frequencies: &Frequencies) -> Vec<Change<K>> {
    let mut changed: HashSet<K> = HashSet::new();
    let mut changes = Vec::new();
    let known = of.iter().filter_map(|key| Some((key, index.get(key)?)));
    let mut by_members: Vec<(&K, &Centroid)> = known.collect();
    by_members.sort_by_key(|(_, centroid)| Reverse(centroid.members()));
    for (key, centroid) in by_members {
        if changed.contains(key) {
            continue;
        }
        let nearest = index.nearest_of(&centroid.sum, frequencies, |other| {
            other != key && !changed.contains(other)
        });
        let is_same = |other: &K, similarity: f32| {
            let other = index.get(other).map_or(0, Centroid::members);
            similarity >= merge_threshold(centroid.members(), other)
        };
        let Some((other, _)) = nearest.filter(|(other, similarity)| is_same(other, *similarity)) else {
            continue;
        };
        changed.extend([key.clone(), other.clone()]);
        let is_larger = index
            .get(&other)
            .is_some_and(|other| other.members() > centroid.members());
        let (from, into) = if is_larger {
            (key.clone(), other)
        } else {
            (other, key.clone())
        };
        changes.push(Change::Merge { from, into });
    }
    changes
}

/// Returns the similarity from which on clusters with so many issues are one.
///
/// Differences between the issues of a cluster even out in their sum. So the sums of two large clusters are more similar than their
/// issues are, whatever these are about.
fn merge_threshold(one: u64, other: u64) -> f32 {
    let most = MERGE_THRESHOLD / MERGE_THRESHOLD_OF_LARGE;
    // The expected square of the length of the mean of so many vectors with that similarity.
    let square = |members: u64| {
        let share = 1.0 / members.max(1) as f32;
        share + (1.0 - share) * most
    };
    MERGE_THRESHOLD / (square(one) * square(other)).sqrt()
}

/// Finds whether a cluster has two subjects. More than two are found when the parts are looked at again.
pub fn split<K>(of: K, members: &[Terms], frequencies: &Frequencies) -> Option<Change<K>> {
    if members.len() < 2 * MIN_PART {
        return None;
    }
    let vectors: Vec<Vec<(u64, f32)>> = members.iter().map(|terms| weighted(terms, frequencies)).collect();
    let all = sum(vectors.iter());
    let far_from = |seed: &[(u64, f32)]| {
        let far = vectors
            .iter()
            .min_by(|a, b| vector::product(a, seed).total_cmp(&vector::product(b, seed)));
        far.cloned().unwrap_or_default()
    };
    // The seeds are an issue that is unlike the others, and one that is unlike this one.
    let mut one = far_from(&all);
    let mut other = far_from(&one);
    let mut is_in_one: Vec<bool> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let nearer: Vec<bool> = vectors
            .iter()
            .map(|vector| vector::product(vector, &one) > vector::product(vector, &other))
            .collect();
        if nearer == is_in_one {
            break;
        }
        is_in_one = nearer;
        let half = |is_one: bool| {
            let half = vectors.iter().zip(&is_in_one).filter(|(_, in_one)| **in_one == is_one);
            sum(half.map(|(vector, _)| vector))
        };
        (one, other) = (half(true), half(false));
    }
    if vector::product(&one, &other) >= SPLIT_THRESHOLD {
        return None;
    }
    let part = |is_one: bool| {
        let part = is_in_one.iter().enumerate().filter(|(_, in_one)| **in_one == is_one);
        part.map(|(place, _)| place).collect::<Vec<usize>>()
    };
    let mut parts = vec![part(true), part(false)];
    parts.sort_by_key(|part| Reverse(part.len()));
    let is_large = parts.iter().all(|part| part.len() >= MIN_PART);
    is_large.then_some(Change::Split { of, members: parts })
}

/// Returns the vector of an issue with the rarity of its terms, of the length 1.
fn weighted(terms: &Terms, frequencies: &Frequencies) -> Vec<(u64, f32)> {
    let pairs = terms.0.iter();
    unit(
        pairs
            .map(|(hash, weight)| (*hash, weight * frequencies.rarity(*hash)))
            .collect(),
    )
}

/// Returns the sum of vectors, of the length 1.
fn sum<'v>(vectors: impl Iterator<Item = &'v Vec<(u64, f32)>>) -> Vec<(u64, f32)> {
    let mut pairs: Vec<(u64, f32)> = vectors.flatten().copied().collect();
    pairs.sort_unstable_by_key(|(hash, _)| *hash);
    let mut sum: Vec<(u64, f32)> = Vec::new();
    for (hash, weight) in pairs {
        match sum.last_mut() {
            Some(last) if last.0 == hash => last.1 += weight,
            _ => sum.push((hash, weight)),
        }
    }
    unit(sum)
}

fn unit(mut vector: Vec<(u64, f32)>) -> Vec<(u64, f32)> {
    let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    for (_, weight) in &mut vector {
        *weight /= length.max(f32::MIN_POSITIVE);
    }
    vector
}
