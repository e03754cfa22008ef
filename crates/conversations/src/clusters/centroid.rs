//! The centroid of a cluster.

use super::{
    terms::{Frequencies, Terms},
    vector,
};

/// The most terms of a centroid.
const MAX_TERMS: usize = 256;

/// Weights below this are what is left of sums after issues were removed.
const MIN_WEIGHT: f32 = 1e-4;

/// The sum of the terms of the issues of a cluster. Of more than 256 terms, those that say least are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Centroid {
    members: u64,
    pub(super) sum: Vec<(u64, f32)>,
}

impl Centroid {
    /// The number of issues.
    pub fn members(&self) -> u64 {
        self.members
    }

    pub fn hashes(&self) -> impl Iterator<Item = u64> {
        self.sum.iter().map(|(hash, _)| *hash)
    }

    pub fn add(&mut self, terms: &Terms, frequencies: &Frequencies) {
        vector::add(&mut self.sum, &terms.0, 1.0);
        self.members += 1;
        self.truncate(frequencies);
    }

    pub fn remove(&mut self, terms: &Terms) {
        vector::add(&mut self.sum, &terms.0, -1.0);
        self.members = self.members.saturating_sub(1);
        self.sum.retain(|(_, weight)| *weight > MIN_WEIGHT);
    }

    fn truncate(&mut self, frequencies: &Frequencies) {
        if self.sum.len() > MAX_TERMS {
            let weight = |(hash, weight): &(u64, f32)| weight * frequencies.rarity(*hash);
            self.sum.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
            self.sum.truncate(MAX_TERMS);
            self.sum.sort_unstable_by_key(|(hash, _)| *hash);
        }
    }

    /// Returns the length of the vector with the rarity of its terms.
    pub(super) fn length(&self, frequencies: &Frequencies) -> f32 {
        length(&self.sum, frequencies)
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.members.to_le_bytes().to_vec();
        bytes.extend(vector::to_bytes(&self.sum));
        bytes
    }

    /// Returns a stored centroid. `None`: the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (members, sum) = bytes.split_first_chunk::<8>()?;
        Some(Self {
            members: u64::from_le_bytes(*members),
            sum: vector::from_bytes(sum, MAX_TERMS)?,
        })
    }
}

/// Returns the length of a vector with the rarity of its terms.
pub fn length(vector: &[(u64, f32)], frequencies: &Frequencies) -> f32 {
    let squares = vector
        .iter()
        .map(|(hash, weight)| (weight * frequencies.rarity(*hash)).powi(2));
    squares.sum::<f32>().sqrt()
}
