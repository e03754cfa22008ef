//! Glossary terms: words with a fixed translation.

use serde::{Deserialize, Serialize};

use crate::segment::{is_ideograph, words_only};

/// A word with its translation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Term {
    pub source: String,
    pub target: String,
}

/// Returns the terms that occur in the text of a segment, in a fixed order. Case makes no difference.
pub fn occurring<'t>(terms: &'t [Term], text: &str) -> Vec<&'t Term> {
    let words = words_only(text).to_lowercase();
    let mut found: Vec<&Term> = terms
        .iter()
        .filter(|term| occurs(&term.source.to_lowercase(), &words))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Returns whether a translation has the translations of the terms. They may be inflected, so that parts of words count.
pub fn is_followed(terms: &[&Term], translation: &str) -> bool {
    let words = words_only(translation).to_lowercase();
    terms.iter().all(|term| words.contains(&term.target.to_lowercase()))
}

/// Returns whether a term occurs as a word, not as a part of one.
fn occurs(term: &str, words: &str) -> bool {
    if term.trim().is_empty() {
        return false;
    }
    let joins = |outer: Option<char>, edge: Option<char>| {
        let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_ideograph(c));
        is_letter(outer) && is_letter(edge)
    };
    words.match_indices(term).any(|(at, found)| {
        let before = words.get(..at).and_then(|before| before.chars().next_back());
        let after = words.get(at + found.len()..).and_then(|after| after.chars().next());
        !joins(before, term.chars().next()) && !joins(after, term.chars().next_back())
    })
}
