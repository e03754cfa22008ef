//! Sparse vectors: pairs of the hash of a term and its weight, in the order of the hashes.

/// Bytes of a stored pair.
const PAIR: usize = 12;

/// Adds a vector times a factor to another one.
pub fn add(to: &mut Vec<(u64, f32)>, vector: &[(u64, f32)], factor: f32) {
    let mut sum = Vec::with_capacity(to.len() + vector.len());
    let (mut left, mut right) = (to.iter().copied().peekable(), vector.iter().copied().peekable());
    loop {
        match (left.peek().copied(), right.peek().copied()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                sum.push((a.0, a.1 + factor * b.1));
                left.next();
                right.next();
            }
            (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                sum.push(a);
                left.next();
            }
            (_, Some(b)) => {
                sum.push((b.0, factor * b.1));
                right.next();
            }
            _ => break,
        }
    }
    *to = sum;
}

/// Returns the product of two vectors: a search in the longer one for each pair of the other.
pub fn product(a: &[(u64, f32)], b: &[(u64, f32)]) -> f32 {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let products = short.iter().filter_map(|(hash, weight)| {
        let place = long.binary_search_by_key(hash, |(hash, _)| *hash).ok()?;
        Some(weight * long.get(place)?.1)
    });
    products.sum()
}

pub fn to_bytes(vector: &[(u64, f32)]) -> Vec<u8> {
    let pairs = vector.iter();
    pairs
        .flat_map(|(hash, weight)| hash.to_le_bytes().into_iter().chain(weight.to_le_bytes()))
        .collect()
}

/// Returns a stored vector of at most `max` pairs. `None`: it is damaged.
pub fn from_bytes(bytes: &[u8], max: usize) -> Option<Vec<(u64, f32)>> {
    let (pairs, rest) = bytes.as_chunks::<PAIR>();
    let vector: Option<Vec<(u64, f32)>> = pairs.iter().map(pair).collect();
    vector.filter(|vector| {
        let is_sorted = vector.is_sorted_by(|(a, _), (b, _)| a < b);
        rest.is_empty() && vector.len() <= max && is_sorted && vector.iter().all(|(_, weight)| weight.is_finite())
    })
}

fn pair(bytes: &[u8; PAIR]) -> Option<(u64, f32)> {
    let (hash, weight) = bytes.split_first_chunk::<8>()?;
    let weight = weight.first_chunk::<4>()?;
    Some((u64::from_le_bytes(*hash), f32::from_le_bytes(*weight)))
}
