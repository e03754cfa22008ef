//! Glossary terms: words with a fixed translation.

use std::collections::{BTreeSet, HashMap};

use aho_corasick::{AhoCorasick, BuildError, Match};
use serde::{Deserialize, Serialize};

use crate::segment::{is_ideograph, words_only};

/// A word with its translation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Term {
    pub source: String,
    pub target: String,
}

/// The terms of a run, prepared once, so that a search in a segment takes time in the length of the segment and not in the
/// number of terms.
#[derive(Debug)]
pub struct Glossary {
    /// In a fixed order, each once.
    terms: Vec<Term>,
    /// The sources in lower case: the pattern at an index is that of the term there.
    sources: AhoCorasick,
}

impl Glossary {
    /// Prepares terms. Terms without a word in the source language occur nowhere.
    pub fn new(mut terms: Vec<Term>) -> Result<Self, BuildError> {
        terms.retain(|term| !term.source.trim().is_empty());
        terms.sort();
        terms.dedup();
        let sources = AhoCorasick::new(terms.iter().map(|term| term.source.to_lowercase()))?;
        Ok(Self { terms, sources })
    }

    /// Returns the terms that occur in the text of a segment, in a fixed order. Case makes no difference.
    pub fn occurring(&self, text: &str) -> Vec<&Term> {
        let words = words_only(text).to_lowercase();
        let mut found = BTreeSet::new();
        let mut ends: HashMap<usize, usize> = HashMap::new();
        for occurrence in self.sources.find_overlapping_iter(&words) {
            let index = occurrence.pattern().as_usize();
            // Different terms may overlap. Occurrences of the same term do not: the next one begins after the last.
            let end = ends.entry(index).or_default();
            if occurrence.start() < *end {
                continue;
            }
            *end = occurrence.end();
            if is_word(&words, &occurrence) {
                found.insert(index);
            }
        }
        found.into_iter().filter_map(|index| self.terms.get(index)).collect()
    }
}

/// Returns whether a translation has the translations of the terms. They may be inflected, so that parts of words count.
pub fn is_followed(terms: &[&Term], translation: &str) -> bool {
    let words = words_only(translation).to_lowercase();
    terms.iter().all(|term| words.contains(&term.target.to_lowercase()))
}

/// Returns whether an occurrence is a word, not a part of one.
fn is_word(words: &str, occurrence: &Match) -> bool {
    let joins = |outer: Option<char>, edge: Option<char>| {
        let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_ideograph(c));
        is_letter(outer) && is_letter(edge)
    };
    let term = words.get(occurrence.range()).unwrap_or_default();
    let before = words.get(..occurrence.start()).unwrap_or_default();
    let after = words.get(occurrence.end()..).unwrap_or_default();
    !joins(before.chars().next_back(), term.chars().next()) && !joins(after.chars().next(), term.chars().next_back())
}

#[cfg(test)]
mod tests;
