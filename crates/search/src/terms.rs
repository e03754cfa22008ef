//! The terms of a page: which words it has, and how much each counts.

use std::collections::{HashMap, HashSet};

use entity::search::pages::Section;

use crate::tokenizer::{Kind, each_word, spelled, whole, words};

/// Bytes of terms that a page has at most; PostgreSQL holds a megabyte, with what it adds.
const MAX_BYTES: usize = 600_000;

/// Titles of more words than this say less with each of them.
const SHORT_TITLE: usize = 3;

/// Words of a page of usual length.
const USUAL_LENGTH: f64 = 400.0;

/// Where a word stands. A word of the title is usually in the text too, and then counts as both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The title as one word with its signs.
    SpelledTitle,
    /// The title as one word.
    WholeTitle,
    /// A heading as one word.
    WholeHeading,
    ShortTitle,
    LongTitle,
    Heading,
    /// Text, by how often it has the word in proportion to its length.
    Often,
    Sometimes,
    Rarely,
}

impl Field {
    /// The letter that its terms begin with. Stored: it never changes its meaning.
    pub fn letter(self) -> char {
        match self {
            Self::SpelledTitle => 's',
            Self::WholeTitle => 't',
            Self::WholeHeading => 'h',
            Self::ShortTitle => 'a',
            Self::LongTitle => 'b',
            Self::Heading => 'c',
            Self::Often => 'd',
            Self::Sometimes => 'e',
            Self::Rarely => 'f',
        }
    }

    /// How much a word in this field says about what the page is about.
    pub fn weight(self) -> f64 {
        match self {
            Self::SpelledTitle | Self::WholeTitle | Self::WholeHeading => 0.0,
            Self::ShortTitle => 8.0,
            Self::LongTitle => 6.0,
            Self::Heading => 3.0,
            Self::Often => 2.5,
            Self::Sometimes => 1.5,
            Self::Rarely => 0.6,
        }
    }

    /// How much a word in this field answers. A page with half of the words in its title is as good as one that mentions all of them.
    pub fn cover(self) -> f64 {
        match self {
            Self::SpelledTitle | Self::WholeTitle | Self::WholeHeading => 0.0,
            Self::ShortTitle | Self::LongTitle => 1.7,
            Self::Heading => 1.2,
            Self::Often | Self::Sometimes | Self::Rarely => 1.0,
        }
    }
}

/// The terms of a page without the number of its space, those that count most first.
pub fn of_page(title: &str, sections: &[Section]) -> Vec<String> {
    let mut terms = Terms::default();
    if let Some(spelled) = spelled(title) {
        terms.add(Field::SpelledTitle, &spelled);
    }
    if let Some(whole) = whole(title) {
        terms.add(Field::WholeTitle, &whole);
    }
    let in_title = words(title);
    let parts = in_title
        .iter()
        .filter(|word| matches!(word.kind, Kind::Plain | Kind::Pair));
    let field = if parts.count() > SHORT_TITLE {
        Field::LongTitle
    } else {
        Field::ShortTitle
    };
    for word in &in_title {
        terms.add(field, &word.text);
    }
    for section in sections {
        if let Some(whole) = whole(&section.title) {
            terms.add(Field::WholeHeading, &whole);
        }
        for word in words(&section.title) {
            terms.add(Field::Heading, &word.text);
        }
    }
    for (field, word) in in_text(sections) {
        terms.add(field, &word);
    }
    terms.list
}

/// Each word of the text, in the order in which they first appear.
fn in_text(sections: &[Section]) -> Vec<(Field, String)> {
    let mut order = Vec::new();
    let mut counts: HashMap<String, u32> = HashMap::new();
    let mut length = 0.0;
    for section in sections {
        each_word(&section.body, |word, _, _| {
            length += 1.0;
            if let Some(count) = counts.get_mut(word) {
                *count += 1;
            } else {
                order.push(word.to_owned());
                counts.insert(word.to_owned(), 1);
            }
        });
    }
    let field = |word: String| {
        let count = f64::from(counts.get(&word).copied().unwrap_or_default());
        // As in BM25: more often says more, but less and less so, and all the less the longer the text.
        let share = count / (count + 1.2 * (0.25 + 0.75 * length / USUAL_LENGTH));
        let field = match share {
            ..0.45 => Field::Rarely,
            ..0.7 => Field::Sometimes,
            _ => Field::Often,
        };
        (field, word)
    };
    order.into_iter().map(field).collect()
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
        if self.bytes + term.len() <= MAX_BYTES && !self.known.contains(&term) {
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
    fn words_count_by_where_and_how_often_they_stand() {
        let body = format!("cookie cookie jar {}", "x ".repeat(600));
        let terms = of_page("The Cookie", &[section("File format", &body)]);
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
        let long = of_page("All there is about cookies", &[]);
        assert!(long.contains(&"bcookies".to_owned()), "{long:?}");
    }

    #[test]
    fn terms_of_a_page_are_bounded() {
        let body: String = (0..200_000).map(|number| format!("word{number} ")).collect();
        let terms = of_page("Numbers", &[section("", &body)]);
        let bytes: usize = terms.iter().map(String::len).sum();
        assert!((MAX_BYTES - 20..=MAX_BYTES).contains(&bytes), "{bytes}");
        assert_eq!(terms.first().map(String::as_str), Some("snumbers"));
    }
}
