//! Clusters of issues that are about the same.
//!
//! An issue is a vector of its stems ([`Terms`]), a cluster the sum of the vectors of its issues ([`Centroid`]). Both are
//! stored without the rarity of words, which changes with every issue: it is applied when they are compared ([`Frequencies`]).
//! An issue joins the most similar cluster from [`THRESHOLD`] on, or begins another one. That depends on the order in which
//! issues come, so upkeep merges clusters that have become similar, and splits clusters of several subjects.

mod centroid;
mod icons;
mod index;
mod label;
mod terms;
mod upkeep;
mod vector;

pub use self::{
    centroid::Centroid,
    index::{Index, THRESHOLD},
    label::{Label, label},
    terms::{Frequencies, Terms, terms},
    upkeep::{Change, merges, split},
};
