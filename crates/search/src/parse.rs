//! The query parser: text to query terms and index lookups. A query has no operators: signs only separate words.

use super::terms::Field;
use crate::tokenizer::{Token, TokenKind, tokenize, whole_token, whole_token_with_signs};

/// The most terms of a query; further words are ignored.
const MAX_TERMS: usize = 24;

/// Queries of more terms than this are not matched by stem.
const MAX_STEMMED_TERMS: usize = 8;

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

/// A parsed query.
#[derive(Debug)]
pub struct SearchQuery {
    pub terms: Vec<QueryTerm>,
    whole_with_signs: Option<String>,
    whole: Option<String>,
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    pub text: String,
    /// A compound, whose words are terms too: a page need not contain it.
    pub optional: bool,
    /// The fields in which the term matches as a prefix. `None`: only whole tokens match.
    prefix_scope: Option<PrefixScope>,
    /// The prefix in common with other forms of the word.
    pub stem: Option<String>,
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
    /// The same stem: probably another form of the word.
    Stem,
    Prefix,
    Exact,
}

impl MatchKind {
    /// Returns the factor for deciding whether a page is a result.
    fn certainty(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Prefix => 0.9,
            Self::Stem => 0.8,
        }
    }

    /// Returns the factor for ranking.
    pub fn weight(self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Prefix => 0.8,
            Self::Stem => 0.65,
        }
    }
}

/// A lookup of the pages that have one of these index terms, or a term with one of these prefixes.
#[derive(Debug)]
pub struct Lookup {
    pub subject: LookupSubject,
    pub terms: Vec<String>,
    pub is_prefix: bool,
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

impl LookupSubject {
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
            terms.push(QueryTerm::new(token, is_last));
        }
        if terms.len() > MAX_STEMMED_TERMS {
            for term in &mut terms {
                term.stem = None;
            }
        }
        Self {
            terms,
            whole_with_signs: whole_token_with_signs(text),
            whole: whole_token(text),
        }
    }

    pub fn lookups(&self) -> Vec<Lookup> {
        let mut lookups = Vec::new();
        if let Some(token) = &self.whole_with_signs {
            let subject = LookupSubject::WholeTitleWithSigns;
            lookups.push(Lookup::new(subject, &[Field::WholeTitleWithSigns], token, false));
        }
        if let Some(token) = &self.whole {
            for (subject, field, is_prefix) in [
                (LookupSubject::WholeTitle, Field::WholeTitle, false),
                (LookupSubject::WholeHeading, Field::WholeHeading, false),
                (LookupSubject::TitlePrefix, Field::WholeTitle, true),
            ] {
                lookups.push(Lookup::new(subject, &[field], token, is_prefix));
            }
        }
        for (index, term) in self.terms.iter().enumerate() {
            for field in TOKEN_FIELDS {
                let subject = LookupSubject::term(index, MatchKind::Exact, &[field]);
                lookups.push(Lookup::new(subject, &[field], &term.text, false));
            }
            let mut add_prefix = |kind, prefix: &str, groups: &[&[Field]]| {
                for fields in groups {
                    let subject = LookupSubject::term(index, kind, fields);
                    lookups.push(Lookup::new(subject, fields, prefix, true));
                }
            };
            if let Some(scope) = term.prefix_scope {
                add_prefix(MatchKind::Prefix, &term.text, scope.field_groups());
            }
            if let Some(stem) = &term.stem {
                add_prefix(MatchKind::Stem, stem, PrefixScope::AllFields.field_groups());
            }
        }
        lookups
    }
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
    fn new(token: &Token, is_last: bool) -> Self {
        let letters = token.text.chars().count();
        let is_number = token.text.chars().all(char::is_numeric);
        let prefix_scope = match (token.kind, letters) {
            // A single character matches the bigrams that begin with it.
            (TokenKind::Bigram, 1) => Some(PrefixScope::AllFields),
            (TokenKind::Bigram | TokenKind::LastCharacter, _) => None,
            (_, 3..) if !is_number => Some(PrefixScope::AllFields),
            // The last word may be unfinished. A short prefix matches too many words to search all fields.
            (_, 2..) if is_last => Some(PrefixScope::TitlesAndHeadings),
            (_, 1) if is_last => Some(PrefixScope::Titles),
            _ => None,
        };
        let stem = match token.kind {
            TokenKind::Word if !is_number => stem(&token.text, letters),
            _ => None,
        };
        Self {
            text: token.text.clone(),
            optional: token.kind == TokenKind::Compound,
            prefix_scope,
            stem,
        }
    }

    /// Returns how a token of a page matches this term. `None`: it does not match.
    pub fn match_kind(&self, token: &str) -> Option<MatchKind> {
        if token == self.text {
            return Some(MatchKind::Exact);
        }
        if self.prefix_scope.is_some() && token.starts_with(&self.text) {
            return Some(MatchKind::Prefix);
        }
        let stem = self.stem.as_ref()?;
        token.starts_with(stem.as_str()).then_some(MatchKind::Stem)
    }
}

/// Removes the ending: most languages inflect at the end, long words with more letters.
fn stem(word: &str, letters: usize) -> Option<String> {
    let ending = match letters {
        ..4 => return None,
        4..6 => 1,
        6..8 => 2,
        _ => 3,
    };
    Some(word.chars().take(letters - ending).collect())
}

impl Lookup {
    fn new(subject: LookupSubject, fields: &[Field], token: &str, is_prefix: bool) -> Self {
        let term = |field: &Field| format!("{SPACE_PLACEHOLDER}.{}{token}", field.letter());
        Self {
            subject,
            terms: fields.iter().map(term).collect(),
            is_prefix,
        }
    }

    /// Formats the lookup as a query of FTS5.
    pub fn sqlite(&self) -> String {
        let suffix = if self.is_prefix { "*" } else { "" };
        let terms = self.terms.iter().map(|term| format!("\"{term}\"{suffix}"));
        terms.collect::<Vec<_>>().join(" OR ")
    }

    /// Formats the lookup as a `tsquery`.
    pub fn postgres(&self) -> String {
        let suffix = if self.is_prefix { ":*" } else { "" };
        let terms = self.terms.iter().map(|term| format!("'{term}'{suffix}"));
        terms.collect::<Vec<_>>().join(" | ")
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
        for lookup in none.lookups().iter().chain(&query.lookups()) {
            for term in &lookup.terms {
                let word = term.strip_prefix("@.").unwrap();
                assert!(word.chars().all(char::is_alphanumeric), "{term}");
            }
        }
        assert!(SearchQuery::parse(" \n").lookups().is_empty());
    }

    #[test]
    fn the_last_word_may_be_unfinished() {
        let prefix_scope = |text| SearchQuery::parse(text).terms.last().unwrap().prefix_scope;
        assert_eq!(prefix_scope("use c"), Some(PrefixScope::Titles));
        assert_eq!(prefix_scope("use cu"), Some(PrefixScope::TitlesAndHeadings));
        assert_eq!(prefix_scope("use cur"), Some(PrefixScope::AllFields));
        assert_eq!(prefix_scope("c "), Some(PrefixScope::Titles));
        assert_eq!(prefix_scope("猫"), Some(PrefixScope::AllFields));
        assert_eq!(prefix_scope("東京"), None);
        assert_eq!(SearchQuery::parse("is it").terms[0].prefix_scope, None);
    }

    #[test]
    fn forms_of_a_word_match_each_other() {
        for (query, token, kind) in [
            ("cookie", "cookie", Some(MatchKind::Exact)),
            ("cookie", "cookies", Some(MatchKind::Prefix)),
            ("cookies", "cookie", Some(MatchKind::Stem)),
            ("uploading", "uploads", Some(MatchKind::Stem)),
            ("file", "fill", Some(MatchKind::Stem)),
            ("ftp", "fttp", None),
            ("2024 a", "20245", None),
        ] {
            assert_eq!(
                SearchQuery::parse(query).terms[0].match_kind(token),
                kind,
                "{query} {token}"
            );
        }
    }

    #[test]
    fn queries_are_bounded() {
        let long: String = (0..256)
            .map(|number| char::from_u32(0x4e00 + number).unwrap())
            .collect();
        let query = SearchQuery::parse(&long);
        assert_eq!(query.terms.len(), MAX_TERMS);
        assert!(query.lookups().len() <= 4 + MAX_TERMS * 12);
        let many: String = (0..170).map(|number| format!("w{number:02} ")).collect();
        assert!(SearchQuery::parse(&many).lookups().len() <= 4 + MAX_TERMS * 9);
    }
}
