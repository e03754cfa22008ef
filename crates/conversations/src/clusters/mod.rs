//! Clusters of issues that are about the same.
//!
//! An issue is a vector of its stems ([`Terms`]), a cluster the sum of the vectors of its issues ([`Centroid`]). Both are
//! stored without the rarity of words, which changes with every issue: it is applied when they are compared ([`Frequencies`]).
//! An issue joins the most similar cluster from [`THRESHOLD`] on, or begins another one. That depends on the order in which
//! issues come, and clusters that grow together stay together. So the latest issues are clustered anew from time to time
//! ([`communities`]), and what comes of it takes the place of the clusters that it resembles most ([`kept`]).

mod centroid;
mod communities;
mod icons;
mod index;
mod label;
mod neighbours;
mod terms;
mod vector;

pub use self::{
    centroid::Centroid,
    communities::{communities, kept},
    index::{Index, THRESHOLD},
    label::{Label, label},
    terms::{Frequencies, Terms, terms},
};
