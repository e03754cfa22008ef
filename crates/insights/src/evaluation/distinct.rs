//! Numbers of distinct hashes.

/// Up to this number the count is exact.
const MAX_EXACT: usize = 100_000;

/// The hashes that were seen: all of them up to [`MAX_EXACT`], above it a HyperLogLog.
///
/// What it is depends only on the set of the hashes, so that merged counts are those of one count.
#[derive(Default)]
pub(super) enum Distinct {
    #[default]
    None,
    One(u64),
    /// Sorted and without duplicates whenever it is full.
    List(Vec<u64>),
    Estimate(Box<Registers>),
}

impl Distinct {
    /// Returns by how many bytes the memory has grown.
    pub fn extend(&mut self, hashes: &[u64]) -> isize {
        hashes.iter().map(|hash| self.insert(*hash)).sum()
    }

    fn insert(&mut self, hash: u64) -> isize {
        match self {
            Self::None => *self = Self::One(hash),
            Self::One(one) if *one == hash => {}
            Self::One(one) => {
                let mut list = Vec::with_capacity(4);
                list.extend([*one, hash]);
                *self = Self::List(list);
                return 4 * 8;
            }
            Self::List(list) => {
                if list.last() == Some(&hash) {
                    return 0;
                }
                if list.len() < list.capacity() {
                    list.push(hash);
                    return 0;
                }
                return self.compact() + self.insert_compacted(hash);
            }
            Self::Estimate(registers) => registers.insert(hash),
        }
        0
    }

    fn insert_compacted(&mut self, hash: u64) -> isize {
        let Self::List(list) = self else {
            return self.insert(hash);
        };
        let before = list.capacity();
        // With less room than that, lists would be sorted again and again.
        if list.len() > before / 2 {
            list.reserve_exact(before);
        }
        list.push(hash);
        (list.capacity() - before) as isize * 8
    }

    /// Removes duplicates, and makes a long list an estimate. Returns by how many bytes the memory has grown.
    fn compact(&mut self) -> isize {
        let Self::List(list) = self else { return 0 };
        // The hashes of a segment are sorted, and the stable sort merges what is.
        list.sort();
        list.dedup();
        if list.len() <= MAX_EXACT {
            return 0;
        }
        let mut registers = Box::new(Registers::new());
        for hash in list.iter() {
            registers.insert(*hash);
        }
        let freed = list.capacity() * 8;
        *self = Self::Estimate(registers);
        Registers::LENGTH as isize - freed as isize
    }

    pub fn merge(&mut self, other: Self) -> isize {
        match (&mut *self, other) {
            (_, Self::None) => 0,
            (Self::Estimate(ours), Self::Estimate(theirs)) => {
                ours.merge(&theirs);
                0
            }
            (_, Self::One(hash)) => self.insert(hash),
            (_, Self::List(list)) => self.extend(&list),
            (_, Self::Estimate(mut registers)) => {
                let freed = self.bytes() as isize;
                match self {
                    Self::One(hash) => registers.insert(*hash),
                    Self::List(list) => list.iter().for_each(|hash| registers.insert(*hash)),
                    Self::None | Self::Estimate(_) => {}
                }
                *self = Self::Estimate(registers);
                Registers::LENGTH as isize - freed
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::None | Self::One(_) => 0,
            Self::List(list) => list.capacity() * 8,
            Self::Estimate(_) => Registers::LENGTH,
        }
    }

    pub fn count(&mut self) -> u64 {
        self.compact();
        match self {
            Self::None => 0,
            Self::One(_) => 1,
            Self::List(list) => list.len() as u64,
            Self::Estimate(registers) => registers.estimate(),
        }
    }
}

/// A HyperLogLog with 2¹⁶ registers: the standard error is 0.4 %.
pub(super) struct Registers([u8; Self::LENGTH]);

impl Registers {
    const BITS: u32 = 16;
    const LENGTH: usize = 1 << Self::BITS;
    /// Largest rank.
    const MAX_RANK: usize = 64 - Self::BITS as usize + 1;

    const fn new() -> Self {
        Self([0; Self::LENGTH])
    }

    fn insert(&mut self, hash: u64) {
        let mixed = mix(hash);
        let rank = ((mixed << Self::BITS) | (1 << (Self::BITS - 1))).leading_zeros() as u8 + 1;
        if let Some(register) = self.0.get_mut((mixed >> (64 - Self::BITS)) as usize) {
            *register = rank.max(*register);
        }
    }

    fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(&other.0) {
            *ours = (*theirs).max(*ours);
        }
    }

    /// The improved raw estimator of Ertl (2017), which needs no corrections.
    fn estimate(&self) -> u64 {
        let mut counts = [0u32; Self::MAX_RANK + 1];
        for rank in &self.0 {
            if let Some(count) = counts.get_mut(usize::from(*rank)) {
                *count += 1;
            }
        }
        let registers = Self::LENGTH as f64;
        let [empty, ranks @ .., full] = counts;
        let mut sum = registers * tau(1.0 - f64::from(full) / registers);
        for count in ranks.iter().rev() {
            sum = 0.5 * (sum + f64::from(*count));
        }
        sum += registers * sigma(f64::from(empty) / registers);
        (registers * registers / (2.0 * std::f64::consts::LN_2 * sum)).round() as u64
    }
}

fn sigma(mut x: f64) -> f64 {
    let (mut y, mut sum) = (1.0, x);
    loop {
        let previous = sum;
        x *= x;
        sum += x * y;
        y += y;
        if sum == previous || !sum.is_finite() {
            return sum;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut y, mut sum) = (1.0, 1.0 - x);
    loop {
        let previous = sum;
        x = x.sqrt();
        y *= 0.5;
        sum -= (1.0 - x) * (1.0 - x) * y;
        if sum == previous {
            return sum / 3.0;
        }
    }
}

/// The finalizer of SplitMix64.
const fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
