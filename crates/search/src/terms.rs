//! The terms of a page: its tokens by field and weight.

use std::collections::{HashMap, HashSet};

use entity::content::search::pages::Section;

use crate::{
    normalize::normalize,
    stemmer::WordStemmer,
    tokenizer::{Token, TokenKind, for_each_token, tokenize, whole_token, whole_token_with_signs},
};

/// The most bytes of terms of a page. A `tsvector` of PostgreSQL holds a megabyte including its overhead.
const MAX_TERM_BYTES: usize = 600_000;

/// The most words of a short title. Each word of a longer title counts less.
const SHORT_TITLE_WORDS: usize = 3;

/// The most words of a page that misspelled words are compared with.
const MAX_WORDS: usize = 5_000;

/// The letters of these words.
pub const MIN_WORD_LETTERS: usize = 4;
const MAX_WORD_LETTERS: usize = 32;

/// Words of an average page, as in BM25.
const AVERAGE_LENGTH: f64 = 400.0;

/// The field of a token. A word of the title is usually in the text too, and then counts in both fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The title as one token with its signs.
    WholeTitleWithSigns,
    /// The title as one token.
    WholeTitle,
    /// A heading as one token.
    WholeHeading,
    ShortTitle,
    LongTitle,
    Heading,
    /// Text, by the frequency of the word in proportion to the length of the text.
    FrequentInText,
    OccasionalInText,
    RareInText,
    /// The end of a compound in a title, a heading or the text, reversed.
    CompoundInTitle,
    CompoundInHeading,
    CompoundInText,
}

impl Field {
    /// Returns the letter that the terms of the field begin with. Letters are stored, so their meanings never change.
    pub fn letter(self) -> char {
        match self {
            Self::WholeTitleWithSigns => 's',
            Self::WholeTitle => 't',
            Self::WholeHeading => 'h',
            Self::ShortTitle => 'a',
            Self::LongTitle => 'b',
            Self::Heading => 'c',
            Self::FrequentInText => 'd',
            Self::OccasionalInText => 'e',
            Self::RareInText => 'f',
            Self::CompoundInTitle => 'u',
            Self::CompoundInHeading => 'v',
            Self::CompoundInText => 'w',
        }
    }

    /// Returns how much a word in this field counts for the rank of the page.
    pub const fn weight(self) -> f64 {
        match self {
            Self::WholeTitleWithSigns | Self::WholeTitle | Self::WholeHeading => 0.0,
            Self::ShortTitle => 8.0,
            Self::LongTitle | Self::CompoundInTitle => 6.0,
            Self::Heading | Self::CompoundInHeading => 3.0,
            Self::FrequentInText => 2.5,
            Self::OccasionalInText => 1.5,
            Self::CompoundInText => 1.0,
            Self::RareInText => 0.6,
        }
    }

    /// Returns how much a word in this field counts towards the coverage of the query. A page with half of the words in its
    /// title covers as much as a page that mentions all of them.
    pub fn coverage(self) -> f64 {
        match self {
            Self::WholeTitleWithSigns | Self::WholeTitle | Self::WholeHeading => 0.0,
            Self::ShortTitle | Self::LongTitle | Self::CompoundInTitle => 1.7,
            Self::Heading | Self::CompoundInHeading => 1.2,
            Self::FrequentInText | Self::OccasionalInText | Self::RareInText | Self::CompoundInText => 1.0,
        }
    }
}

/// The term of a page that the search of published content leaves out. No field has this letter.
pub const NO_INDEX: &str = "n";

/// The terms and words of a page in the index.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct PageTerms {
    /// The terms without the number of the space, by descending weight.
    pub terms: Vec<String>,
    /// The words as they are written, in their order: what misspelled and unfinished words are compared with.
    pub words: Vec<String>,
}

/// Returns the terms and the words of a page.
pub fn page_terms(title: &str, sections: &[Section], stemmer: WordStemmer) -> PageTerms {
    let mut terms = Terms::default();
    if let Some(token) = whole_token_with_signs(title) {
        terms.add(Field::WholeTitleWithSigns, &token);
    }
    if let Some(token) = whole_token(title) {
        terms.add(Field::WholeTitle, &token);
    }
    let title_tokens = tokenize(title);
    let words = title_tokens
        .iter()
        .filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Bigram));
    let field = if words.count() > SHORT_TITLE_WORDS {
        Field::LongTitle
    } else {
        Field::ShortTitle
    };
    terms.add_tokens(field, title, &title_tokens, stemmer);
    for section in sections {
        if let Some(token) = whole_token(&section.title) {
            terms.add(Field::WholeHeading, &token);
        }
        terms.add_tokens(Field::Heading, &section.title, &tokenize(&section.title), stemmer);
    }
    terms.add_text(sections, stemmer);
    PageTerms {
        terms: terms.list,
        words: terms.words,
    }
}

/// The distinct tokens of a text with their numbers and how often each occurs.
struct TextTokens {
    counts: HashMap<Box<str>, TokenCount>,
    /// The number of all tokens.
    length: f64,
}

#[derive(Clone, Copy)]
struct TokenCount {
    number: u32,
    count: u32,
    kind: TokenKind,
}

impl TextTokens {
    /// Counts tokens as they are written, so that each is stemmed once. Tokens beyond the most bytes of a page are left
    /// out.
    fn of(sections: &[Section]) -> Self {
        let mut counts: HashMap<Box<str>, TokenCount> = HashMap::new();
        let (mut length, mut bytes, mut number) = (0.0, 0, 0);
        for section in sections {
            for_each_token(&section.body, |token, range, kind| {
                length += 1.0;
                let written = section.body.get(range).unwrap_or_default();
                let key = if kind == TokenKind::Word && !written.is_ascii() {
                    written
                } else {
                    token
                };
                if let Some(known) = counts.get_mut(key) {
                    known.count += 1;
                } else if bytes + key.len() <= MAX_TERM_BYTES {
                    bytes += key.len();
                    counts.insert(key.into(), TokenCount { number, count: 1, kind });
                    number += 1;
                }
            });
        }
        Self { counts, length }
    }

    /// Returns the stems in the order of their first occurrences, each with how often it occurs, and the words.
    fn stems(self, stemmer: WordStemmer) -> (Vec<(String, u32)>, Vec<String>) {
        let mut tokens: Vec<(Box<str>, TokenCount)> = self.counts.into_iter().collect();
        tokens.sort_unstable_by_key(|(_, token)| token.number);
        let (mut stems, mut words) = (Vec::new(), Vec::new());
        let mut places: HashMap<String, usize> = HashMap::new();
        for (written, token) in tokens {
            let word = if written.is_ascii() {
                String::from(written.clone())
            } else {
                normalize(&written)
            };
            let found = stemmer.stems(&written, &word, token.kind);
            for stem in found.iter() {
                let place = *places.entry(stem.to_owned()).or_insert(stems.len());
                match stems.get_mut(place) {
                    Some((_, count)) => *count += token.count,
                    None => stems.push((stem.to_owned(), token.count)),
                }
            }
            if token.kind == TokenKind::Word {
                words.push(word);
            }
        }
        (stems, words)
    }
}

/// Returns the field of a token that is so often in a text of this length.
fn text_field(count: u32, length: f64) -> Field {
    let count = f64::from(count);
    // As in BM25: the weight saturates with the frequency and decreases with the length of the text.
    let share = count / (count + 1.2 * (0.25 + 0.75 * length / AVERAGE_LENGTH));
    match share {
        ..0.45 => Field::RareInText,
        ..0.7 => Field::OccasionalInText,
        _ => Field::FrequentInText,
    }
}

#[derive(Default)]
struct Terms {
    list: Vec<String>,
    known: HashSet<String>,
    bytes: usize,
    words: Vec<String>,
    known_words: HashSet<String>,
}

impl Terms {
    fn add(&mut self, field: Field, word: &str) {
        let term = term(field, word);
        if !self.known.contains(&term) {
            self.known.insert(term.clone());
            self.add_new(term);
        }
    }

    fn add_new(&mut self, term: String) {
        if self.bytes + term.len() <= MAX_TERM_BYTES {
            self.bytes += term.len();
            self.list.push(term);
        }
    }

    fn add_tokens(&mut self, field: Field, text: &str, tokens: &[Token], stemmer: WordStemmer) {
        let compounds = match field {
            Field::Heading => Field::CompoundInHeading,
            _ => Field::CompoundInTitle,
        };
        for token in tokens {
            let written = text.get(token.range.clone()).unwrap_or_default();
            for stem in stemmer.stems(written, &token.text, token.kind).iter() {
                self.add(field, stem);
                if let Some(compound) = stemmer.compound(stem).filter(|_| token.kind == TokenKind::Word) {
                    self.add(compounds, &compound);
                }
            }
            if token.kind == TokenKind::Word {
                self.add_word(&token.text);
            }
        }
    }

    fn add_text(&mut self, sections: &[Section], stemmer: WordStemmer) {
        let tokens = TextTokens::of(sections);
        let length = tokens.length;
        let (stems, words) = tokens.stems(stemmer);
        for (stem, count) in &stems {
            // Stems of the text are distinct, and its fields are its own.
            self.add_new(term(text_field(*count, length), stem));
        }
        for compound in stems.iter().filter_map(|(stem, _)| stemmer.compound(stem)) {
            self.add(Field::CompoundInText, &compound);
        }
        for word in words {
            self.add_word(&word);
        }
    }

    fn add_word(&mut self, word: &str) {
        if self.words.len() < MAX_WORDS && is_comparable(word) && !self.known_words.contains(word) {
            self.known_words.insert(word.to_owned());
            self.words.push(word.to_owned());
        }
    }
}

fn term(field: Field, word: &str) -> String {
    let mut term = String::with_capacity(field.letter().len_utf8() + word.len());
    term.push(field.letter());
    term.push_str(word);
    term
}

/// Returns whether a word is long enough to be compared with misspelled and unfinished words.
fn is_comparable(word: &str) -> bool {
    (MIN_WORD_LETTERS..=MAX_WORD_LETTERS).contains(&word.chars().count()) && !word.chars().all(char::is_numeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEMMER: fn() -> WordStemmer = || WordStemmer::of(None);

    fn section(title: &str, body: &str) -> Section {
        Section {
            anchor: None,
            title: title.to_owned(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn tokens_are_weighted_by_field_and_frequency() {
        let body = format!("cookie cookie jar {}", "x ".repeat(600));
        let PageTerms { terms, words } = page_terms("The Cookies", &[section("File format", &body)], STEMMER());
        assert_eq!(
            terms,
            [
                "stheu20cookies",
                "tthecookies",
                "athe",
                "acooki",
                "hfileformat",
                "cfile",
                "cformat",
                "ecooki",
                "fjar",
                "dx"
            ]
        );
        assert_eq!(words, ["cookies", "file", "format", "cookie"]);
        let long = page_terms("All there is about cookies", &[], STEMMER()).terms;
        assert!(long.contains(&"bcooki".to_owned()), "{long:?}");
    }

    #[test]
    fn terms_of_a_page_are_bounded() {
        let body: String = (0..200_000).map(|number| format!("word{number} ")).collect();
        let PageTerms { terms, words } = page_terms("Numbers", &[section("", &body)], STEMMER());
        let bytes: usize = terms.iter().map(String::len).sum();
        assert!((MAX_TERM_BYTES - 20..=MAX_TERM_BYTES).contains(&bytes), "{bytes}");
        assert_eq!(terms.first().map(String::as_str), Some("snumbers"));
        assert_eq!(words.len(), MAX_WORDS);
    }
}
