//! Communities: groups of issues that are about the same. They do not depend on the order in which the issues came.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    hash::Hash,
};

use super::{
    neighbours::{self, Edges},
    terms::Terms,
};

/// The resolution of the modularity. A higher one makes more and smaller communities; with 1, the usual number, subjects of a hundred
/// issues among ten thousand are not told apart.
const RESOLUTION: f64 = 8.0;

/// The least weight of all edges that chance is reckoned with. The few issues of a small organization are not the whole of what its
/// customers may ask: among themselves, those of one subject would have nothing more in common than by chance.
const MIN_WEIGHT: f64 = 150.0;

/// The least gain for which an issue moves, so that errors of rounding do not move it to and fro.
const MIN_GAIN: f64 = 1e-9;

/// The most rounds in which the issues of a graph move.
const MAX_ROUNDS: usize = 50;

/// Returns the community of each issue, as a number. Issues with the same terms are in one; they do not depend on the order of the
/// issues, nor on their former clusters.
pub fn communities(issues: &[Terms]) -> Vec<usize> {
    let mut order: Vec<(usize, &Terms)> = issues.iter().enumerate().collect();
    let bits = |terms: &'_ Terms| -> Vec<(u64, u32)> {
        terms.0.iter().map(|(hash, weight)| (*hash, weight.to_bits())).collect()
    };
    order.sort_by_cached_key(|(_, terms)| bits(terms));
    let (mut nodes, mut node_of): (Vec<&Terms>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    for (place, terms) in order {
        let is_same = |last: &&Terms| *last == terms && !terms.0.is_empty();
        if !nodes.last().is_some_and(is_same) {
            nodes.push(terms);
        }
        node_of.push((place, nodes.len() - 1));
    }
    let communities = louvain(neighbours::edges(&nodes));
    node_of.sort_unstable();
    node_of.into_iter().map(|(_, node)| at(&communities, node)).collect()
}

/// Finds communities by the method of Louvain: nodes move to the community of a neighbour while that makes more of the weight of edges be
/// within communities than by chance; then each community is a node, and these move.
fn louvain(edges: Edges) -> Vec<usize> {
    let mut communities: Vec<usize> = (0..edges.len()).collect();
    let mut graph = edges;
    loop {
        let moved = settle(&graph);
        let count = moved.iter().max().map_or(0, |last| last + 1);
        if count == graph.len() {
            return communities;
        }
        for community in &mut communities {
            *community = at(&moved, *community);
        }
        let mut between: Edges = vec![Vec::new(); count];
        for (of_node, community) in graph.iter().zip(&moved) {
            if let Some(of_community) = between.get_mut(*community) {
                of_community.extend(of_node.iter().map(|(other, weight)| (at(&moved, *other), *weight)));
            }
        }
        graph = between.into_iter().map(sum).collect();
    }
}

/// Moves the nodes of a graph until each is in the best community. Returns the numbers of their communities, from 0.
fn settle(graph: &Edges) -> Vec<usize> {
    let degrees = graph
        .iter()
        .map(|of_node| of_node.iter().map(|(_, weight)| weight).sum());
    let degrees: Vec<f64> = degrees.collect();
    let chance = RESOLUTION / degrees.iter().sum::<f64>().max(MIN_WEIGHT);
    let mut communities: Vec<usize> = (0..graph.len()).collect();
    let mut sums = degrees.clone();
    for _ in 0..MAX_ROUNDS {
        let mut is_settled = true;
        for (node, (of_node, degree)) in graph.iter().zip(&degrees).enumerate() {
            let own = at(&communities, node);
            let others = of_node.iter().filter(|(other, _)| *other != node);
            let links = sum(others
                .map(|(other, weight)| (at(&communities, *other), *weight))
                .collect());
            add(&mut sums, own, -degree);
            let gain = |community: usize, link: f64| link - chance * degree * at(&sums, community);
            let link_to_own = links.iter().find(|(community, _)| *community == own);
            let mut best = (own, gain(own, link_to_own.map_or(0.0, |(_, link)| *link)));
            for (community, link) in links {
                let gain = gain(community, link);
                if gain > best.1 + MIN_GAIN {
                    best = (community, gain);
                }
            }
            add(&mut sums, best.0, *degree);
            if let Some(community) = communities.get_mut(node).filter(|_| best.0 != own) {
                *community = best.0;
                is_settled = false;
            }
        }
        if is_settled {
            break;
        }
    }
    let mut numbers: HashMap<usize, usize> = HashMap::new();
    let numbered = communities.into_iter().map(|community| {
        let next = numbers.len();
        *numbers.entry(community).or_insert(next)
    });
    numbered.collect()
}

/// Adds up the weights of each number.
fn sum(mut weights: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    weights.sort_by_key(|(number, _)| *number);
    weights.dedup_by(|(number, weight), (kept, sum)| {
        let is_same = number == kept;
        if is_same {
            *sum += *weight;
        }
        is_same
    });
    weights
}

fn at<T: Copy + Default>(values: &[T], place: usize) -> T {
    values.get(place).copied().unwrap_or_default()
}

fn add(sums: &mut [f64], place: usize, value: f64) {
    if let Some(sum) = sums.get_mut(place) {
        *sum += value;
    }
}

/// Returns the former cluster whose key each community keeps, from the communities and clusters of issues: that with which it has the
/// most issues in common. A key is kept once, so a community may have none.
///
/// Issues that go over to the cluster of their community one after the other change nothing in this.
pub fn kept<K: Copy + Ord + Hash>(issues: impl IntoIterator<Item = (usize, K)>) -> HashMap<usize, K> {
    let mut common: BTreeMap<(usize, K), usize> = BTreeMap::new();
    for pair in issues {
        *common.entry(pair).or_default() += 1;
    }
    let mut common: Vec<((usize, K), usize)> = common.into_iter().collect();
    common.sort_by_key(|(_, issues)| Reverse(*issues));
    let (mut kept, mut taken) = (HashMap::new(), HashSet::new());
    for ((community, key), _) in common {
        if !kept.contains_key(&community) && taken.insert(key) {
            kept.insert(community, key);
        }
    }
    kept
}
