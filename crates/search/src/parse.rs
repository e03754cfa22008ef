//! What is searched for: the words of a query, and the lookups that tell which pages have them. Nothing in a query has a meaning of
//! its own: signs only separate words.

use super::terms::Field;
use crate::tokenizer::{Kind, Word, spelled, whole, words};

/// Words of a query that count.
const MAX_WORDS: usize = 24;

/// With more words than this, those that are not on a page as they are written are not tried in other forms.
const MAX_INFLECTED: usize = 8;

/// Stands in lookups for the number of the space; no word contains it.
pub const SPACE: &str = "@";

/// Fields with words of their own, in the order in which they are looked up.
const FIELDS: [Field; 6] = [
    Field::ShortTitle,
    Field::LongTitle,
    Field::Heading,
    Field::Often,
    Field::Sometimes,
    Field::Rarely,
];
const TITLES: &[Field] = &[Field::ShortTitle, Field::LongTitle];
const HEADINGS: &[Field] = &[Field::Heading];
const TEXTS: &[Field] = &[Field::Often, Field::Sometimes, Field::Rarely];

/// A query that was read.
#[derive(Debug)]
pub struct Question {
    pub words: Vec<Asked>,
    /// All of it as one word, with its signs and without.
    spelled: Option<String>,
    whole: Option<String>,
}

/// A word that is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub text: String,
    /// A page without it is as good: several words in one, which are asked for by themselves.
    pub optional: bool,
    /// The fewest letters of fields that words beginning like this are looked for in.
    begins: Option<Begins>,
    /// The beginning that it has in common with other forms of the word.
    pub stem: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    Titles,
    Headings,
    Anywhere,
}

/// How a word on a page is like the one that is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Another form of it, perhaps.
    Inflected,
    Beginning,
    Equal,
}

impl Likeness {
    /// What is left of the weight of the word, as far as it decides whether a page is found.
    fn certainty(self) -> f64 {
        match self {
            Self::Equal => 1.0,
            Self::Beginning => 0.9,
            Self::Inflected => 0.8,
        }
    }

    /// What is left of the weight of the word, as far as it decides about ranks.
    pub fn weight(self) -> f64 {
        match self {
            Self::Equal => 1.0,
            Self::Beginning => 0.8,
            Self::Inflected => 0.65,
        }
    }
}

/// A question to the index: which pages have one of these terms, or terms that begin so?
#[derive(Debug)]
pub struct Lookup {
    pub about: About,
    pub terms: Vec<String>,
    pub beginning: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum About {
    SpelledTitle,
    WholeTitle,
    WholeHeading,
    TitleBeginning,
    /// The word with this number.
    Word {
        number: usize,
        found: Match,
    },
}

/// How a page has a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match {
    pub likeness: Likeness,
    /// For ranks: by how it is like what is asked for, and by where it stands.
    pub weight: f64,
    /// For whether the page is a result: by how it is like what is asked for.
    pub certainty: f64,
    /// The same, and by where it stands.
    pub cover: f64,
}

impl About {
    /// Of several fields, the one that says least: it is not known which one it is.
    fn word(number: usize, likeness: Likeness, fields: &[Field]) -> Self {
        let least = |value: fn(Field) -> f64| fields.iter().copied().map(value).fold(f64::MAX, f64::min);
        let found = Match {
            likeness,
            weight: least(Field::weight) * likeness.weight(),
            certainty: likeness.certainty(),
            cover: least(Field::cover) * likeness.certainty(),
        };
        Self::Word { number, found }
    }
}

impl Question {
    pub fn read(text: &str) -> Self {
        let all = words(text);
        let last = all.iter().rposition(|word| word.kind == Kind::Plain);
        let mut asked: Vec<Asked> = Vec::new();
        for (position, word) in all.iter().enumerate() {
            if word.kind == Kind::Tail || asked.iter().any(|known| known.text == word.text) {
                continue;
            }
            if asked.len() == MAX_WORDS {
                break;
            }
            let is_last =
                Some(position) == last && all.iter().skip(position + 1).all(|after| after.kind == Kind::Joined);
            asked.push(Asked::new(word, is_last));
        }
        if asked.len() > MAX_INFLECTED {
            for word in &mut asked {
                word.stem = None;
            }
        }
        Self {
            words: asked,
            spelled: spelled(text),
            whole: whole(text),
        }
    }

    pub fn lookups(&self) -> Vec<Lookup> {
        let mut lookups = Vec::new();
        if let Some(spelled) = &self.spelled {
            lookups.push(Lookup::new(About::SpelledTitle, &[Field::SpelledTitle], spelled, false));
        }
        if let Some(whole) = &self.whole {
            for (about, field, beginning) in [
                (About::WholeTitle, Field::WholeTitle, false),
                (About::WholeHeading, Field::WholeHeading, false),
                (About::TitleBeginning, Field::WholeTitle, true),
            ] {
                lookups.push(Lookup::new(about, &[field], whole, beginning));
            }
        }
        for (number, word) in self.words.iter().enumerate() {
            for field in FIELDS {
                let about = About::word(number, Likeness::Equal, &[field]);
                lookups.push(Lookup::new(about, &[field], &word.text, false));
            }
            let mut beginnings = |likeness, text: &str, groups: &[&[Field]]| {
                for fields in groups {
                    let about = About::word(number, likeness, fields);
                    lookups.push(Lookup::new(about, fields, text, true));
                }
            };
            match word.begins {
                None => {}
                Some(Begins::Titles) => beginnings(Likeness::Beginning, &word.text, &[TITLES]),
                Some(Begins::Headings) => beginnings(Likeness::Beginning, &word.text, &[TITLES, HEADINGS]),
                Some(Begins::Anywhere) => beginnings(Likeness::Beginning, &word.text, &[TITLES, HEADINGS, TEXTS]),
            }
            if let Some(stem) = &word.stem {
                beginnings(Likeness::Inflected, stem, &[TITLES, HEADINGS, TEXTS]);
            }
        }
        lookups
    }
}

impl Asked {
    fn new(word: &Word, is_last: bool) -> Self {
        let letters = word.text.chars().count();
        let is_number = word.text.chars().all(char::is_numeric);
        let begins = match (word.kind, letters) {
            // Pairs that begin with it have it.
            (Kind::Pair, 1) => Some(Begins::Anywhere),
            (Kind::Pair | Kind::Tail, _) => None,
            (_, 3..) if !is_number => Some(Begins::Anywhere),
            // Somebody may still be typing. Too many words begin with one letter to look for all of them.
            (_, 2..) if is_last => Some(Begins::Headings),
            (_, 1) if is_last => Some(Begins::Titles),
            _ => None,
        };
        let stem = match word.kind {
            Kind::Plain if !is_number => stem(&word.text, letters),
            _ => None,
        };
        Self {
            text: word.text.clone(),
            optional: word.kind == Kind::Joined,
            begins,
            stem,
        }
    }

    /// How a word of a page is like this one, if it is.
    pub fn likeness(&self, word: &str) -> Option<Likeness> {
        if word == self.text {
            return Some(Likeness::Equal);
        }
        if self.begins.is_some() && word.starts_with(&self.text) {
            return Some(Likeness::Beginning);
        }
        let stem = self.stem.as_ref()?;
        word.starts_with(stem.as_str()).then_some(Likeness::Inflected)
    }
}

/// Most languages inflect at the end, with the more letters the longer the word is.
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
    fn new(about: About, fields: &[Field], word: &str, beginning: bool) -> Self {
        let term = |field: &Field| format!("{SPACE}.{}{word}", field.letter());
        Self {
            about,
            terms: fields.iter().map(term).collect(),
            beginning,
        }
    }

    /// In the language of FTS5.
    pub fn sqlite(&self) -> String {
        let beginning = if self.beginning { "*" } else { "" };
        let terms = self.terms.iter().map(|term| format!("\"{term}\"{beginning}"));
        terms.collect::<Vec<_>>().join(" OR ")
    }

    /// As a `tsquery`.
    pub fn postgres(&self) -> String {
        let beginning = if self.beginning { ":*" } else { "" };
        let terms = self.terms.iter().map(|term| format!("'{term}'{beginning}"));
        terms.collect::<Vec<_>>().join(" | ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(question: &Question) -> Vec<&str> {
        question.words.iter().map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn signs_only_separate() {
        let question = Question::read("\"Foo\" AND (bar* OR -baz) NEAR:qux\0 foo");
        assert_eq!(texts(&question), ["foo", "and", "bar", "or", "baz", "near", "qux"]);
        let none = Question::read(&"\"".repeat(512));
        assert!(none.words.is_empty());
        for lookup in none.lookups().iter().chain(&question.lookups()) {
            for term in &lookup.terms {
                let word = term.strip_prefix("@.").unwrap();
                assert!(word.chars().all(char::is_alphanumeric), "{term}");
            }
        }
        assert!(Question::read(" \n").lookups().is_empty());
    }

    #[test]
    fn the_last_word_may_be_unfinished() {
        let begins = |text| Question::read(text).words.last().unwrap().begins;
        assert_eq!(begins("use c"), Some(Begins::Titles));
        assert_eq!(begins("use cu"), Some(Begins::Headings));
        assert_eq!(begins("use cur"), Some(Begins::Anywhere));
        assert_eq!(begins("c "), Some(Begins::Titles));
        assert_eq!(begins("猫"), Some(Begins::Anywhere));
        assert_eq!(begins("東京"), None);
        assert_eq!(Question::read("is it").words[0].begins, None);
    }

    #[test]
    fn forms_of_a_word_are_like_each_other() {
        for (asked, word, likeness) in [
            ("cookie", "cookie", Some(Likeness::Equal)),
            ("cookie", "cookies", Some(Likeness::Beginning)),
            ("cookies", "cookie", Some(Likeness::Inflected)),
            ("uploading", "uploads", Some(Likeness::Inflected)),
            ("file", "fill", Some(Likeness::Inflected)),
            ("ftp", "fttp", None),
            ("2024 a", "20245", None),
        ] {
            assert_eq!(
                Question::read(asked).words[0].likeness(word),
                likeness,
                "{asked} {word}"
            );
        }
    }

    #[test]
    fn questions_are_bounded() {
        let long: String = (0..256)
            .map(|number| char::from_u32(0x4e00 + number).unwrap())
            .collect();
        let question = Question::read(&long);
        assert_eq!(question.words.len(), MAX_WORDS);
        assert!(question.lookups().len() <= 4 + MAX_WORDS * 12);
        let many: String = (0..170).map(|number| format!("w{number:02} ")).collect();
        assert!(Question::read(&many).lookups().len() <= 4 + MAX_WORDS * 9);
    }
}
