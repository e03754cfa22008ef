//! Matching of a text, token by token.

use crate::{
    parse::{MatchKind, QueryTerm, SearchQuery, kind_of, replacement_stems},
    stemmer::WordStemmer,
    tokenizer::{FirstLetters, TokenKind},
};

/// Tells which tokens of a text match the terms of a query.
pub struct TermMatcher {
    stemmer: WordStemmer,
    terms: Vec<MatchedTerm>,
    has_last_parts: bool,
    /// The letters that tokens begin with if they match.
    pub first: FirstLetters,
}

struct MatchedTerm {
    stems: Vec<String>,
    prefix: Option<String>,
    /// Reversed, as in the index.
    last_parts: Vec<String>,
    replaced: Option<(MatchKind, Vec<String>)>,
}

impl TermMatcher {
    pub fn of(query: &SearchQuery, stemmer: WordStemmer) -> Self {
        let term = |term: &QueryTerm| {
            let stems = term.stems(stemmer);
            let stems: Vec<&str> = stems.iter().collect();
            MatchedTerm {
                stems: stems.iter().copied().map(str::to_owned).collect(),
                prefix: term.prefix().map(str::to_owned),
                last_parts: term.last_parts(&stems, stemmer),
                replaced: term
                    .replacement
                    .as_ref()
                    .map(|replacement| (kind_of(replacement), replacement_stems(replacement, stemmer))),
            }
        };
        let terms: Vec<MatchedTerm> = query.terms.iter().map(term).collect();
        let has_last_parts = terms.iter().any(|term| !term.last_parts.is_empty());
        let first = if stemmer.keeps_first_letters() && !has_last_parts {
            let replaced = terms
                .iter()
                .flat_map(|term| &term.replaced)
                .flat_map(|(_, stems)| stems);
            let stems = terms.iter().flat_map(|term| &term.stems).chain(replaced);
            FirstLetters::of(stems.map(String::as_str))
        } else {
            FirstLetters::ALL
        };
        Self {
            stemmer,
            terms,
            has_last_parts,
            first,
        }
    }

    /// Returns the terms that a token matches, by their indexes.
    pub fn matches(&self, written: &str, token: &str, kind: TokenKind) -> impl Iterator<Item = (usize, MatchKind)> {
        let stems = self.stemmer.stems(written, token, kind);
        let compounds = stems.iter().filter(|_| kind == TokenKind::Word && self.has_last_parts);
        let compounds: Vec<String> = compounds.filter_map(|stem| self.stemmer.compound(stem)).collect();
        let is_among = move |known: &[String]| stems.iter().any(|stem| known.iter().any(|known| known == stem));
        let ends_with = move |part: &String| compounds.iter().any(|compound| compound.starts_with(part));
        self.terms.iter().enumerate().filter_map(move |(index, term)| {
            if is_among(&term.stems) {
                return Some((index, MatchKind::Exact));
            }
            let is_beginning = term.prefix.as_ref().is_some_and(|prefix| token.starts_with(prefix));
            if is_beginning || term.last_parts.iter().any(&ends_with) {
                return Some((index, MatchKind::Part));
            }
            let (kind, replaced) = term.replaced.as_ref()?;
            is_among(replaced).then_some((index, *kind))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Replacement;

    #[test]
    fn forms_and_beginnings_of_a_word_match() {
        for (query, token, kind) in [
            ("cookie", "cookies", Some(MatchKind::Exact)),
            ("cookies", "cookie", Some(MatchKind::Exact)),
            ("uploading", "uploads", Some(MatchKind::Exact)),
            ("cook", "cookies", Some(MatchKind::Part)),
            ("cook book", "cookies", None),
            ("file", "fill", None),
            ("saml", "same", None),
            ("verwaltung", "benutzerverwaltung", Some(MatchKind::Part)),
        ] {
            let query = SearchQuery::parse(query);
            let matcher = TermMatcher::of(&query, WordStemmer::of(None));
            let found = matcher.matches(token, token, TokenKind::Word).next();
            assert_eq!(found, kind.map(|kind| (0, kind)), "{token}");
        }
    }

    #[test]
    fn words_that_replace_others_match() {
        let mut query = SearchQuery::parse("cokie jar");
        query.terms[0].replacement = Some(Replacement::Corrected(vec!["cookies".to_owned()]));
        let matcher = TermMatcher::of(&query, WordStemmer::of(None));
        let found: Vec<_> = matcher.matches("cookie", "cookie", TokenKind::Word).collect();
        assert_eq!(found, [(0, MatchKind::Similar)]);
    }
}
