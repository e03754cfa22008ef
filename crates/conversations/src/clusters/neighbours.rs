//! The most similar other issues of each issue.

use std::{collections::HashMap, mem::take};

use super::terms::{Frequencies, Terms};

/// The most neighbours that are looked for. Those of which it is one itself are added.
const NEIGHBOURS: usize = 15;

/// The cosine below which issues have no more in common than chance: without it, issues that are like no other ones are tied to
/// whatever shares a word with them.
const MIN_SIMILARITY: f32 = 0.26;

/// The power of a cosine that is the weight of an edge, so that many faint neighbours do not outweigh a few close ones.
const CLOSENESS_POWER: i32 = 3;

/// The power of the rarity of a word. With the whole of it, the rare words that each customer adds outweigh those of the subject.
const RARITY_POWER: f32 = 0.25;

/// Issues that are compared with one, by their rarest common words first. It bounds the time that long texts of the same words take;
/// the words of usual texts are in less issues.
const MAX_COMPARED: usize = 50_000;

/// For each node, in the order of the nodes, its neighbours with the weights of the edges.
pub type Edges = Vec<Vec<(usize, f64)>>;

/// The numbers of terms, the rarest first, with their weights.
type Vector = Vec<(usize, f32)>;

/// Finds the neighbours of each issue. Two that are neighbours of each other have two edges.
pub fn edges(issues: &[&Terms]) -> Edges {
    let vectors = vectors(issues);
    let mut postings: Vec<Vec<(usize, f32)>> = Vec::new();
    for (place, vector) in vectors.iter().enumerate() {
        for (term, weight) in vector {
            if postings.len() <= *term {
                postings.resize_with(term + 1, Vec::new);
            }
            if let Some(issues) = postings.get_mut(*term) {
                issues.push((place, *weight));
            }
        }
    }
    let mut products = vec![0.0; vectors.len()];
    let mut edges: Edges = vec![Vec::new(); vectors.len()];
    for (place, vector) in vectors.iter().enumerate() {
        for (other, similarity) in nearest(place, vector, &postings, &mut products) {
            for (from, to) in [(place, other), (other, place)] {
                if let Some(of_one) = edges.get_mut(from) {
                    of_one.push((to, f64::from(similarity).powi(CLOSENESS_POWER)));
                }
            }
        }
    }
    edges
}

/// Returns the vectors of issues, of the length 1.
fn vectors(issues: &[&Terms]) -> Vec<Vector> {
    let mut frequencies = Frequencies::default();
    for terms in issues {
        frequencies.count(terms);
    }
    let mut by_rarity: Vec<(u64, u64)> = frequencies.of.iter().map(|(hash, issues)| (*issues, *hash)).collect();
    by_rarity.sort_unstable();
    let numbered = by_rarity.iter().enumerate();
    let numbers: HashMap<u64, usize> = numbered.map(|(number, (_, hash))| (*hash, number)).collect();
    let vector = |terms: &&Terms| {
        let weighted = terms.0.iter().filter_map(|(hash, weight)| {
            let rarity = frequencies.rarity(*hash).powf(RARITY_POWER);
            Some((*numbers.get(hash)?, weight * rarity))
        });
        let mut vector: Vector = weighted.collect();
        vector.sort_unstable_by_key(|(term, _)| *term);
        let length = vector.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        for (_, weight) in &mut vector {
            *weight /= length.max(f32::MIN_POSITIVE);
        }
        vector
    };
    issues.iter().map(vector).collect()
}

/// Returns the issues that are most similar to one. `products` has a zero for each issue, also afterwards.
fn nearest(
    place: usize,
    vector: &Vector,
    postings: &[Vec<(usize, f32)>],
    products: &mut [f32],
) -> impl Iterator<Item = (usize, f32)> {
    let (mut found, mut compared) = (Vec::new(), 0);
    for (term, weight) in vector {
        let issues = postings.get(*term).map(Vec::as_slice).unwrap_or_default();
        compared += issues.len();
        if compared > MAX_COMPARED {
            break;
        }
        for (other, of_other) in issues {
            if let Some(product) = products.get_mut(*other) {
                if *product == 0.0 {
                    found.push(*other);
                }
                *product += weight * of_other;
            }
        }
    }
    let similar = found.into_iter().filter_map(|other| {
        let similarity = take(products.get_mut(other)?);
        (other != place && similarity >= MIN_SIMILARITY).then_some((other, similarity))
    });
    let mut similar: Vec<(usize, f32)> = similar.collect();
    similar.sort_unstable_by(|(a, of_a), (b, of_b)| of_b.total_cmp(of_a).then(a.cmp(b)));
    similar.into_iter().take(NEIGHBOURS)
}
