//! Ranking: the pages that match a query, best first.

use std::{
    cmp::{Ordering, Reverse},
    collections::HashMap,
};

use serde::{Deserialize, Serialize};

use super::postings::Posting;
use crate::parse::{Lookup, LookupSubject, MatchKind, SearchQuery, TermMatch};

/// The least coverage of a result, as a share of the best coverage. A page without a common word is still a result, a page
/// without one of two equally rare words is not.
const MIN_COVERAGE: f64 = 0.6;

/// More than the sum of all weights of a query.
const WHOLE_TITLE_SCORE: f64 = 100_000.0;

/// A title with the same signs ranks before a title with only the same letters.
const WHOLE_TITLE_WITH_SIGNS_SCORE: f64 = 50_000.0;

/// The bonus for a heading that equals the query and for a title that begins with it, in weights of the terms.
const WHOLE_HEADING_BONUS: f64 = 3.0;
const TITLE_PREFIX_BONUS: f64 = 2.0;

/// The rank of a page or a space: by descending score, then by number, which is the order of indexing. Pages that change
/// between two requests may move, as in every ranked list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    score: i64,
    id: i64,
}

impl Rank {
    /// Returns the sort key: best first.
    pub fn sort_key(self) -> (Reverse<i64>, i64) {
        (Reverse(self.score), self.id)
    }

    pub fn is_after(self, other: Self) -> bool {
        self.sort_key() > other.sort_key()
    }

    pub fn id(self) -> i64 {
        self.id
    }

    pub fn score(self) -> f64 {
        self.score as f64 / THOUSANDTHS
    }

    /// Returns the rank of the space whose best page has this rank.
    pub fn for_space(self, space: i64) -> Self {
        Self { id: space, ..self }
    }
}

/// The ranked pages of a query, best first, and the weight of each term.
pub struct Ranking {
    pub pages: Vec<RankedPage>,
    pub weights: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
pub struct RankedPage {
    pub rank: Rank,
    pub space: i64,
}

/// A page with the matches of each term.
struct Candidate {
    space: i64,
    matches: Vec<Option<TermMatch>>,
    bonus: f64,
    title_score: f64,
}

/// Ranks the pages of the postings. `pages` is the number of all pages of the searched spaces.
pub fn rank(query: &SearchQuery, lookups: &[Lookup], postings: &[Posting], pages: u64) -> Ranking {
    let candidates = collect_candidates(query, lookups, postings);
    let weights = term_weights(query, &candidates, pages);
    let sum = |candidate: &Candidate, value: fn(TermMatch) -> f64| -> f64 {
        let terms = candidate.matches.iter().zip(&weights).zip(&query.terms);
        let required = terms.filter(|(_, term)| !term.optional);
        required
            .map(|((term_match, weight), _)| term_match.map_or(0.0, |term_match| weight * value(term_match)))
            .sum()
    };
    let sums = candidates
        .values()
        .map(|candidate| sum(candidate, |term_match| term_match.certainty));
    let best = sums.fold(0.0, f64::max);
    let mut ranked = Vec::new();
    for (id, candidate) in &candidates {
        let share = if best > 0.0 {
            sum(candidate, |term_match| term_match.coverage) / best
        } else {
            0.0
        };
        if share >= MIN_COVERAGE || candidate.title_score > 0.0 {
            let score = to_integer(score(candidate, &weights, share.min(1.0)));
            let rank = Rank { score, id: *id };
            ranked.push(RankedPage {
                rank,
                space: candidate.space,
            });
        }
    }
    ranked.sort_unstable_by_key(|page| page.rank.sort_key());
    Ranking { pages: ranked, weights }
}

fn collect_candidates(query: &SearchQuery, lookups: &[Lookup], postings: &[Posting]) -> HashMap<i64, Candidate> {
    let mut candidates: HashMap<i64, Candidate> = HashMap::new();
    for posting in postings {
        let Some(lookup) = lookups.get(posting.lookup) else {
            continue;
        };
        for page in &posting.pages {
            let candidate = candidates.entry(*page).or_insert_with(|| Candidate {
                space: posting.space,
                matches: vec![None; query.terms.len()],
                bonus: 0.0,
                title_score: 0.0,
            });
            candidate.add(lookup.subject);
        }
    }
    candidates
}

impl Candidate {
    fn add(&mut self, subject: LookupSubject) {
        match subject {
            LookupSubject::WholeTitleWithSigns => self.title_score += WHOLE_TITLE_WITH_SIGNS_SCORE,
            LookupSubject::WholeTitle => self.title_score += WHOLE_TITLE_SCORE,
            LookupSubject::WholeHeading => self.bonus += WHOLE_HEADING_BONUS,
            LookupSubject::TitlePrefix => self.bonus += TITLE_PREFIX_BONUS,
            LookupSubject::Term { index, term_match } => {
                if let Some(current) = self.matches.get_mut(index) {
                    *current = Some(current.map_or(term_match, |known| combine(known, term_match)));
                }
            }
        }
    }
}

/// Combines the matches of a term in two fields. Exact matches add up; of prefix and stem matches the best field counts.
fn combine(known: TermMatch, new: TermMatch) -> TermMatch {
    match known.kind.cmp(&new.kind) {
        Ordering::Greater => known,
        Ordering::Less => new,
        Ordering::Equal => TermMatch {
            kind: new.kind,
            weight: match new.kind {
                MatchKind::Exact => known.weight + new.weight,
                MatchKind::Prefix | MatchKind::Stem => known.weight.max(new.weight),
            },
            certainty: new.certainty,
            coverage: known.coverage.max(new.coverage),
        },
    }
}

/// Returns the weight of each term, its inverse document frequency. Pages with a weaker kind of match count only if no page
/// has a stronger one.
fn term_weights(query: &SearchQuery, candidates: &HashMap<i64, Candidate>, pages: u64) -> Vec<f64> {
    let mut counts = vec![[0_u32; 3]; query.terms.len()];
    for candidate in candidates.values() {
        for (counts, term_match) in counts.iter_mut().zip(&candidate.matches) {
            if let Some(term_match) = term_match {
                let [exact, prefix, stem] = counts;
                match term_match.kind {
                    MatchKind::Exact => *exact += 1,
                    MatchKind::Prefix => *prefix += 1,
                    MatchKind::Stem => *stem += 1,
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
    let matches = candidate.matches.iter().zip(weights);
    let terms: f64 = matches
        .map(|(term_match, weight)| term_match.map_or(0.0, |term_match| weight * term_match.weight))
        .sum();
    let bonus = candidate.bonus * weights.iter().sum::<f64>();
    (terms + bonus) * share + candidate.title_score
}

#[expect(clippy::cast_precision_loss, reason = "counts of pages are below 2^53")]
fn to_float(count: u64) -> f64 {
    count as f64
}

const THOUSANDTHS: f64 = 1000.0;

/// Rounds a score to thousandths, so that it is the same after the round trip in a cursor.
#[expect(clippy::cast_possible_truncation, reason = "scores are far below 2^63")]
fn to_integer(score: f64) -> i64 {
    (score * THOUSANDTHS).round() as i64
}
