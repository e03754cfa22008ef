//! The sections of a page that answer a question best.

use entity::search::pages::Section;

use super::{
    question::{Asked, Question},
    snippet::{Hit, snippet},
    words::words,
};

/// Sections that are shown of a page.
const MAX_SECTIONS: usize = 3;

/// A section has to be worth this much of what the best one is.
const SHARE: f64 = 0.4;

/// What a word in the heading is worth, in words of the text.
const HEADING: f64 = 3.0;

/// A section that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionHit {
    pub anchor: Option<String>,
    pub title: String,
    /// The part of its text that shows what was found.
    pub body: String,
}

/// The best sections, the best one first; the first with text if only the title of the page has the words.
pub fn best(question: &Question, weights: &[f64], sections: &[Section]) -> Vec<SectionHit> {
    let mut found: Vec<(f64, Vec<Hit>, &Section)> = Vec::new();
    for section in sections {
        let hits = hits(question, weights, &section.body);
        let in_heading = self::hits(question, weights, &section.title);
        let worth = HEADING * worth(&in_heading, weights.len()) + worth(&hits, weights.len());
        if worth > 0.0 {
            found.push((worth, hits, section));
        }
    }
    // Stable: of equals, the first.
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let least = found.first().map_or(0.0, |(worth, ..)| worth * SHARE);
    found.retain(|(worth, ..)| *worth >= least);
    found.truncate(MAX_SECTIONS);
    if found.is_empty() {
        let opening = sections.iter().find(|section| !section.body.trim().is_empty());
        found.extend(opening.map(|section| (0.0, Vec::new(), section)));
    }
    let shown = found.into_iter().map(|(_, hits, section)| SectionHit {
        anchor: section.anchor.clone(),
        title: section.title.clone(),
        body: snippet(&section.body, &hits),
    });
    shown.collect()
}

fn hits(question: &Question, weights: &[f64], text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    for word in words(text) {
        let asked = question.words.iter().zip(weights).enumerate();
        let best = asked
            .filter_map(|(number, (asked, weight))| Some((number, likeness(asked, &word.text)? * weight)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((number, weight)) = best {
            hits.push(Hit {
                range: word.range,
                word: number,
                weight,
            });
        }
    }
    hits
}

fn likeness(asked: &Asked, word: &str) -> Option<f64> {
    asked.likeness(word).map(super::question::Likeness::weight)
}

/// More of the same word is worth more, but less and less so.
fn worth(hits: &[Hit], words: usize) -> f64 {
    let mut sums = vec![(0.0_f64, 0.0_f64); words];
    for hit in hits {
        if let Some((best, count)) = sums.get_mut(hit.word) {
            *best = best.max(hit.weight);
            *count += 1.0;
        }
    }
    sums.iter()
        .map(|(best, count)| best * 2.2 * count / (count + 1.2))
        .sum()
}
