//! Ranking: the pages that match a query, best first.

use std::{
    cmp::{Ordering, Reverse},
    collections::{HashMap, HashSet},
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

/// More than the score of any page that lacks a word. A whole title still comes first.
const ALL_WORDS_SCORE: f64 = 10_000.0;

/// The most words of a query of which each counts. Longer queries are sentences, in which most words say nothing of the subject.
const MAX_COUNTING_WORDS: usize = 3;

/// A word of so few pages counts, however few pages there are.
const FEW_PAGES: f64 = 10.0;

/// The share of the pages that a common term is taken to be in.
const COMMON_SHARE: f64 = 1.0 / 3.0;

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

/// The pages that a query finds, in no order, and the weight of each term.
pub struct Ranking {
    pub pages: Vec<RankedPage>,
    pub weights: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
pub struct RankedPage {
    pub rank: Rank,
    pub space: i64,
}

/// The pages that match, each with its matches of every term.
struct Candidates {
    terms: usize,
    places: HashMap<i64, usize>,
    pages: Vec<Candidate>,
    /// For each page as many as there are terms.
    matches: Vec<Option<TermMatch>>,
}

struct Candidate {
    id: i64,
    space: i64,
    bonus: f64,
    title_score: f64,
}

/// Ranks the pages of the postings. `pages` is the number of all pages of the searched spaces.
pub fn rank(query: &SearchQuery, lookups: &[Lookup], postings: &[Posting], pages: u64) -> Ranking {
    let common = CommonTerms::of(query, lookups, postings);
    let mut candidates = Candidates::of(query, lookups, postings, &common);
    let weights = term_weights(&candidates, &common, pages);
    candidates.assume(&common);
    let sum = |matches: &[Option<TermMatch>], value: fn(TermMatch) -> f64| -> f64 {
        let terms = matches.iter().zip(&weights).zip(&query.terms);
        let required = terms.filter(|(_, term)| !term.is_optional());
        required
            .map(|((term_match, weight), _)| term_match.map_or(0.0, |term_match| weight * value(term_match)))
            .sum()
    };
    let sums = candidates
        .iter()
        .map(|(_, matches)| sum(matches, |term_match| term_match.certainty));
    let best = sums.fold(0.0, f64::max);
    let counting = counting_terms(query, &candidates, pages);
    let has_all = |matches: &[Option<TermMatch>]| {
        let has = |index: &usize| {
            matches
                .get(*index)
                .copied()
                .flatten()
                .is_some_and(TermMatch::is_subject)
        };
        counting.len() > 1 && counting.iter().all(has)
    };
    let mut ranked = Vec::new();
    for (candidate, matches) in candidates.iter() {
        let share = if best > 0.0 {
            sum(matches, |term_match| term_match.coverage) / best
        } else {
            0.0
        };
        if share >= MIN_COVERAGE || candidate.title_score > 0.0 {
            let all_words = if has_all(matches) { ALL_WORDS_SCORE } else { 0.0 };
            let score = to_integer(score(candidate, matches, &weights, share.min(1.0)) + all_words);
            ranked.push(RankedPage {
                rank: Rank {
                    score,
                    id: candidate.id,
                },
                space: candidate.space,
            });
        }
    }
    Ranking { pages: ranked, weights }
}

/// Returns the terms of a query that pages need to come before the others, by their indexes: those that some pages have, and not
/// most. None of a long query.
fn counting_terms(query: &SearchQuery, candidates: &Candidates, pages: u64) -> Vec<usize> {
    let words = query.terms.iter().filter(|term| term.is_word()).count();
    if words > MAX_COUNTING_WORDS {
        return Vec::new();
    }
    let most = (to_float(pages) * COMMON_SHARE).max(FEW_PAGES);
    let counts = |index: usize| {
        let found = candidates
            .iter()
            .filter(|(_, matches)| matches.get(index).is_some_and(Option::is_some));
        (1.0..=most).contains(&to_float(found.count() as u64))
    };
    let terms = query.terms.iter().enumerate();
    let counting = terms.filter(|(index, term)| !term.is_optional() && counts(*index));
    counting.map(|(index, _)| index).collect()
}

/// The terms that so many pages of a space have that their lookups are truncated. They say little about any of these pages.
struct CommonTerms {
    /// By space and index.
    terms: HashSet<(i64, usize)>,
    /// The spaces in which some pages have a term that is not common. Only those are looked at then.
    with_others: HashSet<i64>,
}

impl CommonTerms {
    fn of(query: &SearchQuery, lookups: &[Lookup], postings: &[Posting]) -> Self {
        let (mut found, mut common) = (HashSet::new(), HashSet::new());
        for posting in postings {
            let subject = lookups.get(posting.lookup).map(|lookup| lookup.subject);
            if let Some(LookupSubject::Term { index, .. }) = subject
                && query.terms.get(index).is_some_and(|term| !term.is_optional())
            {
                found.insert((posting.space, index));
                if posting.is_truncated {
                    common.insert((posting.space, index));
                }
            }
        }
        let others = found.difference(&common);
        Self {
            with_others: others.map(|(space, _)| *space).collect(),
            terms: common,
        }
    }

    fn is_left_out(&self, posting: &Posting, subject: LookupSubject) -> bool {
        let is_term = matches!(subject, LookupSubject::Term { .. });
        is_term && posting.is_truncated && self.with_others.contains(&posting.space)
    }

    fn contains(&self, index: usize) -> bool {
        self.terms.iter().any(|(_, common)| *common == index)
    }
}

impl Candidates {
    fn of(query: &SearchQuery, lookups: &[Lookup], postings: &[Posting], common: &CommonTerms) -> Self {
        let mut candidates = Self {
            terms: query.terms.len(),
            places: HashMap::new(),
            pages: Vec::new(),
            matches: Vec::new(),
        };
        for posting in postings {
            let subject = lookups.get(posting.lookup).map(|lookup| lookup.subject);
            let Some(subject) = subject.filter(|subject| !common.is_left_out(posting, *subject)) else {
                continue;
            };
            for page in &posting.pages {
                candidates.add(posting.space, *page, subject);
            }
        }
        candidates
    }

    fn add(&mut self, space: i64, id: i64, subject: LookupSubject) {
        let new = self.pages.len();
        let place = *self.places.entry(id).or_insert(new);
        if place == new {
            self.pages.push(Candidate {
                id,
                space,
                bonus: 0.0,
                title_score: 0.0,
            });
            self.matches.extend(std::iter::repeat_n(None, self.terms));
        }
        let Some(page) = self.pages.get_mut(place) else {
            return;
        };
        match subject {
            LookupSubject::WholeTitleWithSigns => page.title_score += WHOLE_TITLE_WITH_SIGNS_SCORE,
            LookupSubject::WholeTitle => page.title_score += WHOLE_TITLE_SCORE,
            LookupSubject::WholeHeading => page.bonus += WHOLE_HEADING_BONUS,
            LookupSubject::TitlePrefix => page.bonus += TITLE_PREFIX_BONUS,
            LookupSubject::Term { index, term_match } => {
                if let Some(current) = self.matches.get_mut(place * self.terms + index) {
                    *current = Some(current.map_or(term_match, |known| combine(known, term_match)));
                }
            }
        }
    }

    /// Takes common terms to be in the text of every page.
    fn assume(&mut self, common: &CommonTerms) {
        for (place, page) in self.pages.iter().enumerate() {
            let matches = self.matches.iter_mut().skip(place * self.terms).take(self.terms);
            for (index, term_match) in matches.enumerate() {
                if term_match.is_none() && common.terms.contains(&(page.space, index)) {
                    *term_match = Some(TermMatch::IN_TEXT);
                }
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&Candidate, &[Option<TermMatch>])> {
        let matches = |place: usize| self.matches.get(place * self.terms..(place + 1) * self.terms);
        let pages = self.pages.iter().enumerate();
        pages.map(move |(place, page)| (page, matches(place).unwrap_or_default()))
    }
}

/// Combines the matches of a term in two fields. Exact matches add up; of others the best field counts.
fn combine(known: TermMatch, new: TermMatch) -> TermMatch {
    match known.kind.cmp(&new.kind) {
        Ordering::Greater => known,
        Ordering::Less => new,
        Ordering::Equal => TermMatch {
            kind: new.kind,
            weight: match new.kind {
                MatchKind::Exact => known.weight + new.weight,
                MatchKind::Part | MatchKind::Similar => known.weight.max(new.weight),
            },
            certainty: new.certainty,
            coverage: known.coverage.max(new.coverage),
        },
    }
}

/// Returns the weight of each term, its inverse document frequency. Pages with a weaker kind of match count only if no page
/// has a stronger one.
fn term_weights(candidates: &Candidates, common: &CommonTerms, pages: u64) -> Vec<f64> {
    let mut counts = vec![[0_u32; 3]; candidates.terms];
    for (_, matches) in candidates.iter() {
        for (counts, term_match) in counts.iter_mut().zip(matches) {
            if let Some(term_match) = term_match {
                let [exact, part, similar] = counts;
                match term_match.kind {
                    MatchKind::Exact => *exact += 1,
                    MatchKind::Part => *part += 1,
                    MatchKind::Similar => *similar += 1,
                }
            }
        }
    }
    let all = to_float(pages);
    let weight = |(index, counts): (usize, &[u32; 3])| {
        let count = counts.iter().copied().find(|count| *count > 0).unwrap_or_default();
        let count = if common.contains(index) {
            f64::from(count).max(all * COMMON_SHARE)
        } else {
            f64::from(count)
        };
        (1.0 + ((all - count).max(0.0) + 0.5) / (count + 0.5)).ln()
    };
    counts.iter().enumerate().map(weight).collect()
}

fn score(candidate: &Candidate, matches: &[Option<TermMatch>], weights: &[f64], share: f64) -> f64 {
    let matches = matches.iter().zip(weights);
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
