//! The terms of a page: its tokens by field and weight.

use std::collections::{HashMap, HashSet};

use entity::search::pages::Section;

use crate::tokenizer::{TokenKind, for_each_token, tokenize, whole_token, whole_token_with_signs};

/// The most bytes of terms of a page. A `tsvector` of PostgreSQL holds a megabyte including its overhead.
const MAX_TERM_BYTES: usize = 600_000;

/// The most words of a short title. Each word of a longer title counts less.
const SHORT_TITLE_WORDS: usize = 3;

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
        }
    }

    /// Returns how much a word in this field counts for the rank of the page.
    pub fn weight(self) -> f64 {
        match self {
            Self::WholeTitleWithSigns | Self::WholeTitle | Self::WholeHeading => 0.0,
            Self::ShortTitle => 8.0,
            Self::LongTitle => 6.0,
            Self::Heading => 3.0,
            Self::FrequentInText => 2.5,
            Self::OccasionalInText => 1.5,
            Self::RareInText => 0.6,
        }
    }

    /// Returns how much a word in this field counts towards the coverage of the query. A page with half of the words in its
    /// title covers as much as a page that mentions all of them.
    pub fn coverage(self) -> f64 {
        match self {
            Self::WholeTitleWithSigns | Self::WholeTitle | Self::WholeHeading => 0.0,
            Self::ShortTitle | Self::LongTitle => 1.7,
            Self::Heading => 1.2,
            Self::FrequentInText | Self::OccasionalInText | Self::RareInText => 1.0,
        }
    }
}

/// Returns the terms of a page without the number of its space, by descending weight.
pub fn page_terms(title: &str, sections: &[Section]) -> Vec<String> {
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
    for token in &title_tokens {
        terms.add(field, &token.text);
    }
    for section in sections {
        if let Some(token) = whole_token(&section.title) {
            terms.add(Field::WholeHeading, &token);
        }
        for token in tokenize(&section.title) {
            terms.add(Field::Heading, &token.text);
        }
    }
    for (field, token) in text_tokens(sections) {
        terms.add(field, &token);
    }
    terms.list
}

/// Returns the distinct tokens of the text, in the order of their first occurrences. Tokens beyond the most bytes of a page
/// are left out.
fn text_tokens(sections: &[Section]) -> Vec<(Field, String)> {
    // With the number of each token, and how often it occurs.
    let mut counts: HashMap<Box<str>, (u32, u32)> = HashMap::new();
    let (mut length, mut bytes, mut next) = (0.0, 0, 0);
    for section in sections {
        for_each_token(&section.body, |word, _, _| {
            length += 1.0;
            if let Some((_, count)) = counts.get_mut(word) {
                *count += 1;
            } else if bytes + word.len() <= MAX_TERM_BYTES {
                bytes += word.len();
                counts.insert(word.into(), (next, 1));
                next += 1;
            }
        });
    }
    let mut tokens: Vec<(Box<str>, (u32, u32))> = counts.into_iter().collect();
    tokens.sort_unstable_by_key(|(_, (number, _))| *number);
    let field = |(word, (_, count)): (Box<str>, (u32, u32))| {
        let count = f64::from(count);
        // As in BM25: the weight saturates with the frequency and decreases with the length of the text.
        let share = count / (count + 1.2 * (0.25 + 0.75 * length / AVERAGE_LENGTH));
        let field = match share {
            ..0.45 => Field::RareInText,
            ..0.7 => Field::OccasionalInText,
            _ => Field::FrequentInText,
        };
        (field, word.into())
    };
    tokens.into_iter().map(field).collect()
}

#[derive(Default)]
struct Terms {
    list: Vec<String>,
    known: HashSet<String>,
    bytes: usize,
}

impl Terms {
    fn add(&mut self, field: Field, word: &str) {
        let mut term = String::with_capacity(1 + word.len());
        term.push(field.letter());
        term.push_str(word);
        if self.bytes + term.len() <= MAX_TERM_BYTES && !self.known.contains(&term) {
            self.bytes += term.len();
            self.known.insert(term.clone());
            self.list.push(term);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let terms = page_terms("The Cookie", &[section("File format", &body)]);
        assert_eq!(
            terms,
            [
                "stheu20cookie",
                "tthecookie",
                "athe",
                "acookie",
                "hfileformat",
                "cfile",
                "cformat",
                "ecookie",
                "fjar",
                "dx"
            ]
        );
        let long = page_terms("All there is about cookies", &[]);
        assert!(long.contains(&"bcookies".to_owned()), "{long:?}");
    }

    #[test]
    fn terms_of_a_page_are_bounded() {
        let body: String = (0..200_000).map(|number| format!("word{number} ")).collect();
        let terms = page_terms("Numbers", &[section("", &body)]);
        let bytes: usize = terms.iter().map(String::len).sum();
        assert!((MAX_TERM_BYTES - 20..=MAX_TERM_BYTES).contains(&bytes), "{bytes}");
        assert_eq!(terms.first().map(String::as_str), Some("snumbers"));
    }
}
