//! The sections of a page that match a query best.

use entity::{content::search::pages::Section, library::spaces::Language};

use super::snippet::{SnippetHit, snippet};
use crate::{matcher::TermMatcher, parse::SearchQuery, stemmer::stemmer_of, tokenizer::for_each_wanted_token};

/// The most sections of a page in the results.
const MAX_SECTIONS: usize = 3;

/// The least score of a section, as a share of the best score.
const MIN_SCORE: f64 = 0.4;

/// The weight of a word in the heading, in words of the text.
const HEADING_WEIGHT: f64 = 3.0;

/// A section in the results.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionHit {
    pub anchor: Option<String>,
    pub title: String,
    /// The snippet of its text with the best matches.
    pub body: String,
    /// The score as a share of that of the best section of the page.
    pub share: f64,
}

/// Returns the best sections of a page with this title, as [`best`] does for the pages of an index. `None`: nothing matches.
pub fn matching(query: &str, language: Option<Language>, title: &str, sections: &[Section]) -> Option<Vec<SectionHit>> {
    let query = SearchQuery::parse(query);
    let matcher = TermMatcher::of(&query, stemmer_of(language));
    let weights = vec![1.0; query.terms.len()];
    let is_found = |text: &str| !find_hits(&matcher, &weights, text).is_empty();
    let in_section = |section: &Section| is_found(&section.title) || is_found(&section.body);
    let matches = is_found(title) || sections.iter().any(in_section);
    matches.then(|| best(&matcher, &weights, sections))
}

/// Returns the best sections, best first. If only the title of the page matches, returns the first section with text.
pub fn best(matcher: &TermMatcher, weights: &[f64], sections: &[Section]) -> Vec<SectionHit> {
    let mut scored: Vec<(f64, Vec<SnippetHit>, &Section)> = Vec::new();
    for section in sections {
        let text_hits = find_hits(matcher, weights, &section.body);
        let heading_hits = find_hits(matcher, weights, &section.title);
        let score = score(&heading_hits, &text_hits, weights.len());
        if score > 0.0 {
            scored.push((score, text_hits, section));
        }
    }
    // A stable sort keeps the order of equal sections.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let most = scored.first().map_or(1.0, |(score, ..)| *score);
    scored.retain(|(score, ..)| *score >= most * MIN_SCORE);
    scored.truncate(MAX_SECTIONS);
    if scored.is_empty() {
        let opening = sections.iter().find(|section| !section.body.trim().is_empty());
        scored.extend(opening.map(|section| (0.0, Vec::new(), section)));
    }
    let section_hits = scored.into_iter().map(|(score, hits, section)| SectionHit {
        anchor: section.anchor.clone(),
        title: section.title.clone(),
        body: snippet(&section.body, &hits),
        share: score / most,
    });
    section_hits.collect()
}

fn find_hits(matcher: &TermMatcher, weights: &[f64], text: &str) -> Vec<SnippetHit> {
    let mut hits = Vec::new();
    for_each_wanted_token(text, &matcher.wanted, |token, range, kind| {
        let written = text.get(range.clone()).unwrap_or_default();
        let found = matcher.matches(written, token, kind);
        let best = found
            .filter_map(|(term, kind)| Some((term, kind.weight() * weights.get(term)?)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((term, weight)) = best {
            hits.push(SnippetHit { range, term, weight });
        }
    });
    hits
}

/// Scores a section. Repetitions of a term saturate, and different terms count more than the sum of each.
fn score(heading_hits: &[SnippetHit], text_hits: &[SnippetHit], terms: usize) -> f64 {
    let mut scores = vec![TermScore::default(); terms];
    for hit in heading_hits {
        if let Some(term) = scores.get_mut(hit.term) {
            term.best = term.best.max(hit.weight);
            term.heading = HEADING_WEIGHT;
        }
    }
    for hit in text_hits {
        if let Some(term) = scores.get_mut(hit.term) {
            term.best = term.best.max(hit.weight);
            term.count += 1.0;
        }
    }
    let distinct: f64 = scores.iter().map(|term| term.best).sum();
    let score = |term: &TermScore| term.best * (term.heading + 2.2 * term.count / (term.count + 1.2));
    distinct * scores.iter().map(score).sum::<f64>()
}

#[derive(Clone, Default)]
struct TermScore {
    best: f64,
    heading: f64,
    count: f64,
}
