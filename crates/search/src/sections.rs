//! The sections of a page that answer a question best.

use entity::search::pages::Section;

use super::snippet::{Hit, snippet};
use crate::{parse::Question, tokenizer::each_word};

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
        let worth = worth(&in_heading, &hits, weights.len());
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
    each_word(text, |word, range, _| {
        let asked = question.words.iter().zip(weights).enumerate();
        let best = asked
            .filter_map(|(number, (asked, weight))| Some((number, asked.likeness(word)?.weight() * weight)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((word, weight)) = best {
            hits.push(Hit { range, word, weight });
        }
    });
    hits
}

/// More of the same word is worth more, but less and less so; more words are worth more than they are one by one.
fn worth(in_heading: &[Hit], in_text: &[Hit], words: usize) -> f64 {
    let mut found = vec![Found::default(); words];
    for hit in in_heading {
        if let Some(word) = found.get_mut(hit.word) {
            word.best = word.best.max(hit.weight);
            word.in_heading = HEADING;
        }
    }
    for hit in in_text {
        if let Some(word) = found.get_mut(hit.word) {
            word.best = word.best.max(hit.weight);
            word.times += 1.0;
        }
    }
    let different: f64 = found.iter().map(|word| word.best).sum();
    let worth = |word: &Found| word.best * (word.in_heading + 2.2 * word.times / (word.times + 1.2));
    different * found.iter().map(worth).sum::<f64>()
}

#[derive(Clone, Default)]
struct Found {
    best: f64,
    in_heading: f64,
    times: f64,
}
