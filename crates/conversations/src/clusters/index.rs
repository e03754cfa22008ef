//! The clusters of an organization by their terms.

use std::{collections::HashMap, hash::Hash, mem::replace};

use super::{
    centroid::{Centroid, length},
    terms::{Frequencies, Terms},
};

/// The similarity from which on an issue belongs to a cluster: the cosine of the angle between their vectors.
pub const THRESHOLD: f32 = 0.2;

/// An inverted index: which clusters have a term, and with which weight. A search costs what the terms of an issue occur in
/// clusters, not what there is of clusters.
pub struct Index<K> {
    clusters: Vec<Cluster<K>>,
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
        Some(&self.clusters.get(*place)?.centroid)
    }

    /// Inserts a cluster, or replaces its centroid.
    pub fn insert(&mut self, key: K, centroid: Centroid, frequencies: &Frequencies) {
        let place = *self.places.entry(key.clone()).or_insert(self.clusters.len());
        let length = centroid.length(frequencies);
        let cluster = Cluster { key, centroid, length };
        let before = match self.clusters.get_mut(place) {
            Some(known) => replace(known, cluster).centroid,
            None => {
                self.clusters.push(cluster);
                Centroid::default()
            }
        };
        self.update_postings(place, &before);
    }

    /// Makes the postings of a cluster right that had another centroid before.
    fn update_postings(&mut self, place: usize, before: &Centroid) {
        let now = self.clusters.get(place).map(|cluster| cluster.centroid.sum.as_slice());
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
        let similar = products
            .iter()
            .zip(&self.clusters)
            .filter(|(product, _)| **product > 0.0);
        let similar = similar.map(|(product, cluster)| (cluster, product / (length * cluster.length)));
        // Of clusters that are as similar, the first.
        let nearest = similar.reduce(|best, other| if other.1 > best.1 { other } else { best });
        nearest.map(|(cluster, similarity)| (cluster.key.clone(), similarity))
    }
}
