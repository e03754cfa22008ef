//! Matching of a text, token by token.

use crate::{
    parse::{MatchKind, QueryTerm, SearchQuery, kind_of, replacement_stems},
    stemmer::WordStemmer,
    tokenizer::{LongWords, TokenKind, WantedWords},
};

/// Tells which tokens of a text match the terms of a query.
pub struct TermMatcher {
    stemmer: WordStemmer,
    terms: Vec<MatchedTerm>,
    has_last_parts: bool,
    /// The words that may match.
    pub wanted: WantedWords,
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
        let wanted = wanted_words(&terms, stemmer, has_last_parts);
        Self {
            stemmer,
            terms,
            has_last_parts,
            wanted,
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

fn wanted_words(terms: &[MatchedTerm], stemmer: WordStemmer, has_last_parts: bool) -> WantedWords {
    if !stemmer.keeps_first_letters() {
        return WantedWords::ALL;
    }
    let replaced = terms
        .iter()
        .flat_map(|term| &term.replaced)
        .flat_map(|(_, stems)| stems);
    let stems = terms.iter().flat_map(|term| &term.stems).chain(replaced);
    let wanted = WantedWords::beginning_as(stems.map(String::as_str));
    match stemmer.min_compound().filter(|_| has_last_parts) {
        // A stem has no more letters than its word.
        Some(min_letters) => wanted.or(LongWords {
            min_letters,
            parts: unchanged_parts(terms, stemmer),
        }),
        None => wanted,
    }
}

/// Returns what compounds have in them that end with a last part. `None`: stems may differ from their words anywhere.
fn unchanged_parts(terms: &[MatchedTerm], stemmer: WordStemmer) -> Option<Vec<String>> {
    let changed = stemmer.max_changed_letters()?;
    let last_parts = terms.iter().flat_map(|term| &term.last_parts);
    let unchanged = last_parts.map(|reversed| reversed.chars().skip(changed).collect::<Vec<_>>());
    Some(unchanged.map(|letters| letters.into_iter().rev().collect()).collect())
}

#[cfg(test)]
mod tests {
    use entity::library::spaces::Language;

    use super::*;
    use crate::{stemmer::stemmer_of, tokenizer::for_each_wanted_token, words::Replacement};

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
    fn only_wanted_words_match() {
        use Language as L;
        let beginnings = ["", "Benutzer", "Zugangs", "ab", "vor", "Super", "Über", "café-"];
        let lasts = [
            "verwaltung",
            "filter",
            "instelling",
            "hantering",
            "konto",
            "kezel",
            "daten",
            "seite",
            "librar",
            "possib",
            "relat",
            "organ",
        ];
        let endings = [
            "", "s", "en", "er", "ing", "ed", "isation", "ungen", "és", "y", "ies", "ility", "ilities", "ly", "ional",
            "ization", "izing", "le", "ivity",
        ];
        let words = beginnings.iter().flat_map(|beginning| {
            let words = lasts
                .iter()
                .flat_map(|last| endings.map(|ending| format!("{last}{ending}")));
            words.map(move |word| format!("{beginning}{word} "))
        });
        let text: String = words.collect();
        for language in [
            None,
            Some(L::De),
            Some(L::Nl),
            Some(L::Sv),
            Some(L::Da),
            Some(L::No),
            Some(L::Fi),
            Some(L::Et),
            Some(L::Hu),
            Some(L::En),
        ] {
            for query in [
                "Verwaltung",
                "pump filters",
                "Instellingen",
                "kezelés",
                "Seiten daten",
                "libraries",
                "possibilities",
                "relational organizing",
            ] {
                let query = SearchQuery::parse(query);
                let matcher = TermMatcher::of(&query, stemmer_of(language));
                let found = |wanted: &WantedWords| {
                    let mut found = Vec::new();
                    for_each_wanted_token(&text, wanted, |token, range, kind| {
                        let matches = matcher.matches(&text[range.clone()], token, kind);
                        found.extend(matches.map(|(term, kind)| (range.clone(), term, kind)));
                    });
                    found
                };
                let all = found(&WantedWords::ALL);
                assert!(!all.is_empty());
                assert_eq!(found(&matcher.wanted), all, "{language:?} {query:?}");
            }
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
