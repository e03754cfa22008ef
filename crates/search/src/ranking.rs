//! Which pages answer a question, and which of them best.

use std::{
    cmp::{Ordering, Reverse},
    collections::HashMap,
};

use serde::{Deserialize, Serialize};

use super::postings::Posting;
use crate::parse::{About, Likeness, Lookup, Match, Question};

/// A page has to answer this much of what is answered by the page that has most of the words. Without a common word it is still found,
/// without one of two words that are equally rare it is not.
const SHARE: f64 = 0.6;

/// More than all words of a query can be worth.
const WHOLE_TITLE: f64 = 100_000.0;

/// A title with the same signs comes before one that has only the same letters.
const SPELLED_TITLE: f64 = 50_000.0;

/// Worth of a heading that is exactly the query, and of a title that begins so, in weights of the words.
const WHOLE_HEADING: f64 = 3.0;
const TITLE_BEGINNING: f64 = 2.0;

/// The place of a page, or of a space, among the results: those with the higher score first, of equals the one that was indexed first.
/// What changes meanwhile may move, like in every list that is ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    score: i64,
    id: i64,
}

impl Rank {
    /// Sorts the best first.
    pub fn order(self) -> (Reverse<i64>, i64) {
        (Reverse(self.score), self.id)
    }

    pub fn is_after(self, other: Self) -> bool {
        self.order() > other.order()
    }

    pub fn id(self) -> i64 {
        self.id
    }

    pub fn score(self) -> f64 {
        self.score as f64 / THOUSANDTHS
    }

    /// The rank of a space, of which this is the best page.
    pub fn of(self, space: i64) -> Self {
        Self { id: space, ..self }
    }
}

/// The results of a question: all pages, the best first, and what each word of the question is worth.
pub struct Ranking {
    pub pages: Vec<Ranked>,
    pub weights: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
pub struct Ranked {
    pub rank: Rank,
    pub space: i64,
}

/// A page while its words are gathered.
struct Candidate {
    space: i64,
    words: Vec<Option<Match>>,
    bonus: f64,
    title: f64,
}

/// Ranks what was found in spaces that have this many pages together.
pub fn rank(question: &Question, lookups: &[Lookup], postings: &[Posting], pages: u64) -> Ranking {
    let candidates = gather(question, lookups, postings);
    let weights = weights(question, &candidates, pages);
    let sum = |candidate: &Candidate, part: fn(Match) -> f64| -> f64 {
        let words = candidate.words.iter().zip(&weights).zip(&question.words);
        let required = words.filter(|(_, word)| !word.optional);
        required
            .map(|((found, weight), _)| found.map_or(0.0, |found| weight * part(found)))
            .sum()
    };
    let most = candidates
        .values()
        .map(|candidate| sum(candidate, |found| found.certainty));
    let most = most.fold(0.0, f64::max);
    let mut ranked = Vec::new();
    for (id, candidate) in &candidates {
        let share = if most > 0.0 {
            sum(candidate, |found| found.cover) / most
        } else {
            0.0
        };
        if share >= SHARE || candidate.title > 0.0 {
            let score = to_integer(score(candidate, &weights, share.min(1.0)));
            let rank = Rank { score, id: *id };
            ranked.push(Ranked {
                rank,
                space: candidate.space,
            });
        }
    }
    ranked.sort_unstable_by_key(|page| page.rank.order());
    Ranking { pages: ranked, weights }
}

fn gather(question: &Question, lookups: &[Lookup], postings: &[Posting]) -> HashMap<i64, Candidate> {
    let mut candidates: HashMap<i64, Candidate> = HashMap::new();
    for posting in postings {
        let Some(lookup) = lookups.get(posting.lookup) else {
            continue;
        };
        for page in &posting.pages {
            let candidate = candidates.entry(*page).or_insert_with(|| Candidate {
                space: posting.space,
                words: vec![None; question.words.len()],
                bonus: 0.0,
                title: 0.0,
            });
            candidate.add(lookup.about);
        }
    }
    candidates
}

impl Candidate {
    fn add(&mut self, about: About) {
        match about {
            About::SpelledTitle => self.title += SPELLED_TITLE,
            About::WholeTitle => self.title += WHOLE_TITLE,
            About::WholeHeading => self.bonus += WHOLE_HEADING,
            About::TitleBeginning => self.bonus += TITLE_BEGINNING,
            About::Word { number, found } => {
                if let Some(word) = self.words.get_mut(number) {
                    *word = Some(word.map_or(found, |known| together(known, found)));
                }
            }
        }
    }
}

/// Equal words count in each field that has them; of those that are only alike, the best field counts.
fn together(known: Match, new: Match) -> Match {
    match known.likeness.cmp(&new.likeness) {
        Ordering::Greater => known,
        Ordering::Less => new,
        Ordering::Equal => Match {
            likeness: new.likeness,
            weight: match new.likeness {
                Likeness::Equal => known.weight + new.weight,
                Likeness::Beginning | Likeness::Inflected => known.weight.max(new.weight),
            },
            certainty: new.certainty,
            cover: known.cover.max(new.cover),
        },
    }
}

/// The rarer a word is, the more it is worth. Pages that have it in another form count only where none has it as it is asked for.
fn weights(question: &Question, candidates: &HashMap<i64, Candidate>, pages: u64) -> Vec<f64> {
    let mut counts = vec![[0_u32; 3]; question.words.len()];
    for candidate in candidates.values() {
        for (counts, found) in counts.iter_mut().zip(&candidate.words) {
            if let Some(found) = found {
                let [equal, beginning, inflected] = counts;
                match found.likeness {
                    Likeness::Equal => *equal += 1,
                    Likeness::Beginning => *beginning += 1,
                    Likeness::Inflected => *inflected += 1,
                }
            }
        }
    }
    let all = to_float(pages);
    let weight = |counts: &[u32; 3]| {
        let count = counts.iter().copied().find(|count| *count > 0).unwrap_or_default();
        let count = f64::from(count);
        (1.0 + ((all - count).max(0.0) + 0.5) / (count + 0.5)).ln()
    };
    counts.iter().map(weight).collect()
}

fn score(candidate: &Candidate, weights: &[f64], share: f64) -> f64 {
    let found = candidate.words.iter().zip(weights);
    let words: f64 = found
        .map(|(found, weight)| found.map_or(0.0, |found| weight * found.weight))
        .sum();
    let bonus = candidate.bonus * weights.iter().sum::<f64>();
    (words + bonus) * share + candidate.title
}

#[expect(clippy::cast_precision_loss, reason = "no space has so many pages")]
fn to_float(count: u64) -> f64 {
    count as f64
}

const THOUSANDTHS: f64 = 1000.0;

/// Thousandths, so that a score survives the way to the client and back as it is.
#[expect(clippy::cast_possible_truncation, reason = "scores are far below")]
fn to_integer(score: f64) -> i64 {
    (score * THOUSANDTHS).round() as i64
}
