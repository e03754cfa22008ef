//! For tests: random events, random queries of them, and a plain evaluation to compare the answers of engines with.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests fail where what they expect does not hold"
)]

mod generate;
mod plain;

pub use generate::{random_events, random_query};
pub use plain::evaluate;

/// Numbers that depend on the seed only (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the bound.
    pub const fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub const fn one_in(&mut self, chance: u64) -> bool {
        self.below(chance) == 0
    }

    /// Between 0 and 1.
    pub const fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below the bound; small ones are more frequent, as in Zipf's law.
    pub fn zipf(&mut self, bound: u64) -> u64 {
        let skewed = ((bound as f64 + 1.0).powf(self.fraction()) - 1.0) as u64;
        skewed.min(bound - 1)
    }

    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len() as u64) as usize]
    }
}
