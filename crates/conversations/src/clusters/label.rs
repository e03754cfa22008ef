//! Names of clusters.

use super::{
    centroid::{Centroid, length},
    icons,
    terms::{Frequencies, Terms, terms},
    vector,
};
use crate::FoundIssue;

/// Label, summary and icon of a cluster, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The title of the most typical issue.
    pub label: String,
    /// Its summary.
    pub summary: String,
    /// The name of an icon.
    pub icon: &'static str,
}

/// Returns the label of a cluster by its most typical issue. `None`: there are no issues.
pub fn label(issues: &[FoundIssue], centroid: &Centroid, frequencies: &Frequencies) -> Option<Label> {
    let rated = issues
        .iter()
        .map(|issue| (issue, similarity(&terms(issue), centroid, frequencies)));
    // Of issues that are as typical, the first.
    let (typical, _) = rated.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
    Some(Label {
        label: typical.title.clone(),
        summary: typical.summary.clone(),
        icon: icons::of(centroid, frequencies),
    })
}

/// Returns the similarity of an issue with a cluster, times the length of the cluster.
fn similarity(terms: &Terms, centroid: &Centroid, frequencies: &Frequencies) -> f32 {
    let weighted = terms
        .0
        .iter()
        .map(|(hash, weight)| (*hash, weight * frequencies.rarity(*hash).powi(2)));
    let weighted: Vec<(u64, f32)> = weighted.collect();
    vector::product(&weighted, &centroid.sum) / length(&terms.0, frequencies).max(f32::MIN_POSITIVE)
}
