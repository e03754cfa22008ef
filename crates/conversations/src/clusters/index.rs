//! The clusters of an organization by their terms.

use std::{collections::HashMap, hash::Hash};

use super::{
    centroid::{Centroid, length},
    terms::{Frequencies, Terms},
};

/// The similarity from which on an issue belongs to a cluster: the cosine of the angle between their vectors.
pub const THRESHOLD: f32 = 0.2;

/// An inverted index: which clusters have a term, and with which weight. A search costs what the terms of an issue occur in
/// clusters, not what there is of clusters.
pub struct Index<K> {
    clusters: Vec<Option<Cluster<K>>>,
    places: HashMap<K, usize>,
    /// By places of clusters, in their order.
    postings: HashMap<u64, Vec<(usize, f32)>>,
}

struct Cluster<K> {
    key: K,
    centroid: Centroid,
    length: f32,
}

impl<K: Clone + Eq + Hash> Index<K> {
    pub fn new(centroids: impl IntoIterator<Item = (K, Centroid)>, frequencies: &Frequencies) -> Self {
        let mut index = Self {
            clusters: Vec::new(),
            places: HashMap::new(),
            postings: HashMap::new(),
        };
        for (key, centroid) in centroids {
            index.insert(key, centroid, frequencies);
        }
        index
    }

    pub fn get(&self, key: &K) -> Option<&Centroid> {
        let place = self.places.get(key)?;
        Some(&self.cluster(*place)?.centroid)
    }

    fn cluster(&self, place: usize) -> Option<&Cluster<K>> {
        self.clusters.get(place)?.as_ref()
    }

    /// Inserts a cluster, or replaces its centroid.
    pub fn insert(&mut self, key: K, centroid: Centroid, frequencies: &Frequencies) {
        let known = self.places.get(&key).copied();
        let place = known.unwrap_or(self.clusters.len());
        if known.is_none() {
            self.places.insert(key.clone(), place);
            self.clusters.push(None);
        }
        let length = centroid.length(frequencies);
        if let Some(cluster) = self.clusters.get_mut(place) {
            let before = cluster.replace(Cluster { key, centroid, length });
            self.update_postings(place, &before.map(|before| before.centroid).unwrap_or_default());
        }
    }

    /// Makes the postings of a cluster right that had another centroid before.
    fn update_postings(&mut self, place: usize, before: &Centroid) {
        let now = self
            .clusters
            .get(place)
            .and_then(Option::as_ref)
            .map(|cluster| cluster.centroid.sum.as_slice());
        let now = now.unwrap_or_default();
        let is_gone = |hash: &u64| now.binary_search_by_key(hash, |(hash, _)| *hash).is_err();
        for hash in before.hashes().filter(is_gone) {
            if let Some(postings) = self.postings.get_mut(&hash)
                && let Ok(posting) = postings.binary_search_by_key(&place, |(place, _)| *place)
            {
                postings.remove(posting);
            }
        }
        for (hash, weight) in now {
            let postings = self.postings.entry(*hash).or_default();
            match postings.binary_search_by_key(&place, |(place, _)| *place) {
                Ok(posting) => {
                    if let Some(posting) = postings.get_mut(posting) {
                        posting.1 = *weight;
                    }
                }
                Err(posting) => postings.insert(posting, (place, *weight)),
            }
        }
    }

    /// Adds an issue to a cluster.
    pub fn add(&mut self, key: &K, terms: &Terms, frequencies: &Frequencies) {
        if let Some(mut centroid) = self.get(key).cloned() {
            centroid.add(terms, frequencies);
            self.insert(key.clone(), centroid, frequencies);
        }
    }

    /// Returns the most similar cluster with its similarity, from 0 to 1. `None`: no cluster has a term of the issue.
    pub fn nearest(&self, terms: &Terms, frequencies: &Frequencies) -> Option<(K, f32)> {
        let mut products = vec![0.0_f32; self.clusters.len()];
        for (hash, weight) in &terms.0 {
            let factor = weight * frequencies.rarity(*hash).powi(2);
            for (place, weight) in self.postings.get(hash).into_iter().flatten() {
                if let Some(product) = products.get_mut(*place) {
                    *product += factor * weight;
                }
            }
        }
        let length = length(&terms.0, frequencies);
        let similar = products.iter().zip(&self.clusters).filter_map(|(product, cluster)| {
            let cluster = cluster.as_ref().filter(|_| *product > 0.0)?;
            Some((cluster, product / (length * cluster.length)))
        });
        // Of clusters that are as similar, the first.
        let nearest = similar.reduce(|best, other| if other.1 > best.1 { other } else { best });
        nearest.map(|(cluster, similarity)| (cluster.key.clone(), similarity))
    }
}
