//! The query parser: text to query terms and index lookups. A query has no operators: signs only separate words.

use std::collections::BTreeMap;

use super::terms::Field;
use crate::{
    stemmer::{Stems, WordStemmer},
    tokenizer::{Token, TokenKind, tokenize, whole_token, whole_token_with_signs},
    words::Replacement,
};

/// The most terms of a query; further words are ignored.
const MAX_TERMS: usize = 24;

/// The placeholder of the space's number in lookups; no token contains it.
pub const SPACE_PLACEHOLDER: &str = "@";

/// Fields of single tokens, in the order of the lookups.
const TOKEN_FIELDS: [Field; 6] = [
    Field::ShortTitle,
    Field::LongTitle,
    Field::Heading,
    Field::FrequentInText,
    Field::OccasionalInText,
    Field::RareInText,
];
const TITLES: &[Field] = &[Field::ShortTitle, Field::LongTitle];
const HEADINGS: &[Field] = &[Field::Heading];
const TEXTS: &[Field] = &[Field::FrequentInText, Field::OccasionalInText, Field::RareInText];
const COMPOUND_FIELDS: [Field; 3] = [Field::CompoundInTitle, Field::CompoundInHeading, Field::CompoundInText];

/// The most pages of a lookup of a query with few terms: more for titles, because they tell more of a page.
const MAX_BY_TITLE: usize = 4_000;
const MAX_BY_HEADING: usize = 2_000;
const MAX_BY_TEXT: usize = 1_000;

/// Terms that have these limits; with more terms the limits are lower.
const FEW_TERMS: usize = 4;

/// A parsed query.
#[derive(Debug)]
pub struct SearchQuery {
    pub terms: Vec<QueryTerm>,
    whole_with_signs: Option<String>,
    whole: Option<String>,
    leaves_out_no_index: bool,
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    pub text: String,
    /// As it is in the query.
    written: String,
    kind: TokenKind,
    /// The fields in which the term matches as a prefix. `None`: only whole tokens match.
    prefix_scope: Option<PrefixScope>,
    /// The words that replace a term that no page has. `None`: some page has it, or no word is similar.
    pub replacement: Option<Replacement>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PrefixScope {
    Titles,
    TitlesAndHeadings,
    AllFields,
}

/// Kinds of matches between a token of a page and a query term, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchKind {
    /// A similar word, because no page has the word.
    Similar,
    /// A word that begins with the word, or a compound that ends with it.
    Part,
    /// A form of the word.
    Exact,
}

impl MatchKind {
    /// Returns the factor for deciding whether a page is a result.
    fn certainty(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Part => 0.9,
            Self::Similar => 0.8,
        }
    }

    /// Returns the factor for ranking.
    pub fn weight(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Part => 0.8,
            Self::Similar => 0.65,
        }
    }
}

/// A lookup of the pages that have one of these index terms, or a term with one of these prefixes. Without terms it finds nothing.
#[derive(Debug)]
pub struct Lookup {
    pub subject: LookupSubject,
    pub terms: Vec<String>,
    pub is_prefix: bool,
    /// Pages that the search of published content does not find are left out.
    pub leaves_out_no_index: bool,
    /// The most pages that it returns.
    pub limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LookupSubject {
    WholeTitleWithSigns,
    WholeTitle,
    WholeHeading,
    TitlePrefix,
    /// A query term by its index.
    Term {
        index: usize,
        term_match: TermMatch,
    },
}

/// The match of a query term on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermMatch {
    pub kind: MatchKind,
    /// For ranking: by the kind of match and the field.
    pub weight: f64,
    /// For deciding whether the page is a result: by the kind of match.
    pub certainty: f64,
    /// For deciding whether the page is a result: by the kind of match and the field.
    pub coverage: f64,
}

impl TermMatch {
    /// That of a word somewhere in the text.
    pub const IN_TEXT: Self = Self {
        kind: MatchKind::Exact,
        weight: Field::RareInText.weight(),
        certainty: 1.0,
        coverage: 1.0,
    };

    /// Returns whether the page says something about the word: long texts mention many words once.
    pub fn is_subject(self) -> bool {
        self.weight > Field::RareInText.weight()
    }
}

impl LookupSubject {
    /// Returns the query term that is looked up.
    pub fn term_index(self) -> Option<usize> {
        match self {
            Self::Term { index, .. } => Some(index),
            _ => None,
        }
    }

    /// Returns the query term whose forms are looked up.
    pub fn exact_term(self) -> Option<usize> {
        match self {
            Self::Term { index, term_match } if term_match.kind == MatchKind::Exact => Some(index),
            _ => None,
        }
    }

    /// Takes the least value of several fields, because a lookup does not show which of them matched.
    fn term(index: usize, kind: MatchKind, fields: &[Field]) -> Self {
        let least = |value: fn(Field) -> f64| fields.iter().copied().map(value).fold(f64::MAX, f64::min);
        let term_match = TermMatch {
            kind,
            weight: least(Field::weight) * kind.weight(),
            certainty: kind.certainty(),
            coverage: least(Field::coverage) * kind.certainty(),
        };
        Self::Term { index, term_match }
    }
}

impl SearchQuery {
    pub fn parse(text: &str) -> Self {
        let tokens = tokenize(text);
        let last = tokens.iter().rposition(|token| token.kind == TokenKind::Word);
        let mut terms: Vec<QueryTerm> = Vec::new();
        for (position, token) in tokens.iter().enumerate() {
            let is_known = terms.iter().any(|term| term.text == token.text);
            if token.kind == TokenKind::LastCharacter || is_known {
                continue;
            }
            if terms.len() == MAX_TERMS {
                break;
            }
            let mut following = tokens.iter().skip(position + 1);
            let is_last = Some(position) == last && following.all(|token| token.kind == TokenKind::Compound);
            terms.push(QueryTerm::new(text, token, is_last));
        }
        Self {
            terms,
            whole_with_signs: whole_token_with_signs(text),
            whole: whole_token(text),
            leaves_out_no_index: false,
        }
    }

    /// The query in published content, of which some pages are left out.
    pub fn of_published(self) -> Self {
        Self {
            leaves_out_no_index: true,
            ..self
        }
    }

    /// Returns whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.whole_with_signs.is_none()
    }

    /// Sets what terms stand for, by their indexes.
    pub fn replace(&mut self, mut replacements: BTreeMap<usize, Replacement>) {
        for (index, term) in self.terms.iter_mut().enumerate() {
            term.replacement = replacements.remove(&index);
        }
    }

    /// Returns the lookups in spaces of one language. Those of each language have the same subjects in the same order.
    pub fn lookups(&self, stemmer: WordStemmer) -> Vec<Lookup> {
        let mut lookups = Vec::new();
        if let Some(token) = &self.whole_with_signs {
            let subject = LookupSubject::WholeTitleWithSigns;
            lookups.push(self.lookup(subject, &[Field::WholeTitleWithSigns], &[token], false));
        }
        if let Some(token) = &self.whole {
            for (subject, field, is_prefix) in [
                (LookupSubject::WholeTitle, Field::WholeTitle, false),
                (LookupSubject::WholeHeading, Field::WholeHeading, false),
                (LookupSubject::TitlePrefix, Field::WholeTitle, true),
            ] {
                lookups.push(self.lookup(subject, &[field], &[token], is_prefix));
            }
        }
        for (index, term) in self.terms.iter().enumerate() {
            let stems = term.stems(stemmer);
            let stems: Vec<&str> = stems.iter().collect();
            for field in TOKEN_FIELDS {
                let subject = LookupSubject::term(index, MatchKind::Exact, &[field]);
                lookups.push(self.lookup(subject, &[field], &stems, false));
            }
            let groups = term.prefix_scope.map_or(&[][..], PrefixScope::field_groups);
            for fields in groups {
                let subject = LookupSubject::term(index, MatchKind::Part, fields);
                lookups.push(self.lookup(subject, fields, &[&term.text], true));
            }
            let parts = term.last_parts(&stems, stemmer);
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            for field in COMPOUND_FIELDS {
                let subject = LookupSubject::term(index, MatchKind::Part, &[field]);
                lookups.push(self.lookup(subject, &[field], &parts, true));
            }
        }
        lookups
    }

    /// Returns the lookups of the words that terms stand for, in spaces of one language.
    pub fn replacement_lookups(&self, stemmer: WordStemmer) -> Vec<Lookup> {
        let mut lookups = Vec::new();
        for (index, term) in self.terms.iter().enumerate() {
            let Some(replacement) = &term.replacement else {
                continue;
            };
            let stems = replacement_stems(replacement, stemmer);
            let stems: Vec<&str> = stems.iter().map(String::as_str).collect();
            for field in TOKEN_FIELDS {
                let subject = LookupSubject::term(index, kind_of(replacement), &[field]);
                lookups.push(self.lookup(subject, &[field], &stems, false));
            }
        }
        lookups
    }

    fn lookup(&self, subject: LookupSubject, fields: &[Field], tokens: &[&str], is_prefix: bool) -> Lookup {
        let limit = match fields.first() {
            Some(Field::FrequentInText | Field::OccasionalInText | Field::RareInText | Field::CompoundInText) => {
                MAX_BY_TEXT
            }
            Some(Field::Heading | Field::CompoundInHeading | Field::CompoundInTitle) => MAX_BY_HEADING,
            _ => MAX_BY_TITLE,
        };
        let limit = limit * FEW_TERMS / self.terms.len().max(FEW_TERMS);
        let of_field = |field: &Field| {
            let letter = field.letter();
            tokens
                .iter()
                .map(move |token| format!("{SPACE_PLACEHOLDER}.{letter}{token}"))
        };
        let terms = fields.iter().flat_map(of_field).collect();
        Lookup {
            subject,
            terms,
            is_prefix,
            leaves_out_no_index: self.leaves_out_no_index,
            limit,
        }
    }
}

pub fn kind_of(replacement: &Replacement) -> MatchKind {
    match replacement {
        Replacement::Completed(_) => MatchKind::Part,
        Replacement::Corrected(_) => MatchKind::Similar,
    }
}

pub fn replacement_stems(replacement: &Replacement, stemmer: WordStemmer) -> Vec<String> {
    let stems = replacement.words().iter().flat_map(|word| {
        let Stems { first, second } = stemmer.stems(word, word, TokenKind::Word);
        std::iter::once(first).chain(second)
    });
    let mut stems: Vec<String> = stems.collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

impl PrefixScope {
    fn field_groups(self) -> &'static [&'static [Field]] {
        match self {
            Self::Titles => &[TITLES],
            Self::TitlesAndHeadings => &[TITLES, HEADINGS],
            Self::AllFields => &[TITLES, HEADINGS, TEXTS],
        }
    }
}

impl QueryTerm {
    fn new(query: &str, token: &Token, is_last: bool) -> Self {
        let letters = token.text.chars().count();
        let is_number = token.text.chars().all(char::is_numeric);
        let prefix_scope = match (token.kind, letters) {
            // A single character matches the bigrams that begin with it.
            (TokenKind::Bigram, 1) => Some(PrefixScope::AllFields),
            (TokenKind::Bigram | TokenKind::LastCharacter, _) => None,
            // The last word may be unfinished. In the texts a prefix matches too many words.
            (_, 2..) if is_last && !is_number => Some(PrefixScope::TitlesAndHeadings),
            (_, 1..) if is_last => Some(PrefixScope::Titles),
            _ => None,
        };
        Self {
            text: token.text.clone(),
            written: query.get(token.range.clone()).unwrap_or_default().to_owned(),
            kind: token.kind,
            prefix_scope,
            replacement: None,
        }
    }

    /// Returns whether the term is a compound, whose words are terms too: a page need not contain it.
    pub fn is_optional(&self) -> bool {
        self.kind == TokenKind::Compound
    }

    pub fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }

    /// Returns whether other words can replace the term if no page has it.
    pub fn is_replaceable(&self) -> bool {
        self.is_word() && !self.text.chars().all(char::is_numeric)
    }

    /// Returns what matches as a prefix. `None`: only whole tokens match.
    pub fn prefix(&self) -> Option<&str> {
        self.prefix_scope.map(|_| self.text.as_str())
    }

    /// Returns the last parts of compounds that match, reversed.
    pub fn last_parts(&self, stems: &[&str], stemmer: WordStemmer) -> Vec<String> {
        let parts = stems.iter().filter_map(|stem| stemmer.last_part(&self.text, stem));
        parts.collect()
    }

    pub fn stems(&self, stemmer: WordStemmer) -> Stems {
        stemmer.stems(&self.written, &self.text, self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(query: &SearchQuery) -> Vec<&str> {
        query.terms.iter().map(|term| term.text.as_str()).collect()
    }

    #[test]
    fn signs_only_separate() {
        let query = SearchQuery::parse("\"Foo\" AND (bar* OR -baz) NEAR:qux\0 foo");
        assert_eq!(texts(&query), ["foo", "and", "bar", "or", "baz", "near", "qux"]);
        let none = SearchQuery::parse(&"\"".repeat(512));
        assert!(none.terms.is_empty());
        for lookup in none.lookups(stemmer()).iter().chain(&query.lookups(stemmer())) {
            for term in &lookup.terms {
                let word = term.strip_prefix("@.").unwrap();
                assert!(word.chars().all(char::is_alphanumeric), "{term}");
            }
        }
        assert!(SearchQuery::parse(" \n").lookups(stemmer()).is_empty());
    }

    #[test]
    fn the_last_word_may_be_unfinished() {
        let prefix_scope = |text| SearchQuery::parse(text).terms.last().unwrap().prefix_scope;
        assert_eq!(prefix_scope("use c"), Some(PrefixScope::Titles));
        assert_eq!(prefix_scope("use cu"), Some(PrefixScope::TitlesAndHeadings));
        assert_eq!(prefix_scope("use cur"), Some(PrefixScope::TitlesAndHeadings));
        assert_eq!(prefix_scope("c "), Some(PrefixScope::Titles));
        assert_eq!(prefix_scope("猫"), Some(PrefixScope::AllFields));
        assert_eq!(prefix_scope("東京"), None);
        assert_eq!(SearchQuery::parse("is it").terms[0].prefix_scope, None);
    }

    fn stemmer() -> WordStemmer {
        WordStemmer::of(None)
    }

    #[test]
    fn words_that_replace_others_are_looked_up() {
        let mut query = SearchQuery::parse("cokie jar");
        query.terms[0].replacement = Some(Replacement::Corrected(vec!["cookies".to_owned()]));
        let lookups = query.replacement_lookups(stemmer());
        assert_eq!(lookups.len(), TOKEN_FIELDS.len());
        assert_eq!(lookups[0].terms, ["@.acooki"]);
    }

    #[test]
    fn queries_are_bounded() {
        let long: String = (0..256)
            .map(|number| char::from_u32(0x4e00 + number).unwrap())
            .collect();
        let query = SearchQuery::parse(&long);
        assert_eq!(query.terms.len(), MAX_TERMS);
        let pages = |query: &SearchQuery| -> usize {
            let lookups = query.lookups(WordStemmer::of(Some("de")));
            let lookups = lookups.iter().filter(|lookup| !lookup.terms.is_empty());
            lookups.map(|lookup| lookup.limit).sum()
        };
        assert!(pages(&query) < 60_000, "{}", pages(&query));
        let letters = || (b'a'..=b'm').map(char::from);
        let many: String = letters()
            .flat_map(|one| letters().map(move |other| format!("wort{one}{other} ")))
            .collect();
        let query = SearchQuery::parse(&many);
        assert!(query.lookups(stemmer()).len() <= 4 + MAX_TERMS * 9 + 2);
        assert!(pages(&query) < 75_000, "{}", pages(&query));
    }
}
