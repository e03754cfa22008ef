//! Stems: what the forms of a word have in common, as the Snowball stemmers tell it.
//!
//! The language of a text decides about words in its script. Words in another script have a language of their own: a
//! Japanese text has English words, and of many texts the language is not known.

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use crate::{
    normalize::{is_invisible, normalize},
    tokenizer::{TokenKind, truncate_token},
};

/// The most characters of a word that are looked at, with its accents.
const MAX_WRITTEN_LENGTH: usize = 256;

/// The least letters before the last part of a compound. Fewer letters are mostly prefixes, as in "bestellen".
const MIN_FIRST_PART: usize = 3;

/// The stemmers for the words of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordStemmer {
    latin: Option<Algorithm>,
    cyrillic: Option<Algorithm>,
    /// The least letters of the stem by which compounds are found that end with it. `None`: the language has no compounds.
    min_last_part: Option<usize>,
}

/// The stems of a token: one, or two where accents make a difference. Whoever searches often leaves accents out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stems {
    pub first: String,
    pub second: Option<String>,
}

impl Stems {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.first.as_str()).chain(self.second.as_deref())
    }
}

impl WordStemmer {
    /// Returns the stemmer of a language, which is an ISO 639-1 code in lower case, perhaps with a region, such as `pt-br`.
    pub fn of(language: Option<&str>) -> Self {
        let language = language.map(|code| code.split('-').next().unwrap_or(code));
        Self {
            latin: latin(language),
            cyrillic: match language {
                // Their endings are others than those of Russian.
                Some("uk" | "bg") => None,
                _ => Some(Algorithm::Russian),
            },
            min_last_part: min_last_part(language),
        }
    }

    /// Returns what compounds are found by apart from their beginnings: the stem reversed, without the letters that have to stand
    /// before the last part. `None`: the word is too short for a compound.
    pub fn compound(self, stem: &str) -> Option<String> {
        let (start, _) = stem.char_indices().nth(MIN_FIRST_PART)?;
        let is_long = stem.chars().count() >= self.min_compound()?;
        is_long.then(|| self.reversed(stem.get(start..)?)).flatten()
    }

    /// Returns the least letters of the stem of a compound. Compounds are longer than most words; every term takes room in the
    /// index. `None`: the language has no compounds.
    pub fn min_compound(self) -> Option<usize> {
        Some(2 * self.min_last_part? + 1)
    }

    /// Returns the stem of a word as the last part of compounds: a prefix of what [`Self::compound`] returns for them. `None`: the
    /// word is too short.
    pub fn last_part(self, word: &str, stem: &str) -> Option<String> {
        let is_long = word.chars().count() > self.min_last_part?;
        is_long.then(|| self.reversed(stem)).flatten()
    }

    fn reversed(self, stem: &str) -> Option<String> {
        let is_long = stem.chars().count() >= self.min_last_part?;
        (is_long && stem.chars().all(is_latin)).then(|| stem.chars().rev().collect())
    }

    /// Returns the stems of a token. `written` is its place in the text, `token` the normalized word.
    pub fn stems(self, written: &str, token: &str, kind: TokenKind) -> Stems {
        match kind {
            TokenKind::Bigram | TokenKind::LastCharacter => Stems {
                first: token.to_owned(),
                second: None,
            },
            TokenKind::Word if !written.is_ascii() => {
                let lower = lower_case(written);
                let mut stem = normalize(&self.stem(&lower));
                truncate_token(&mut stem);
                let first = if stem.is_empty() { token.to_owned() } else { stem };
                let plain = self.stem(token);
                let second = (plain != first).then_some(plain);
                Stems { first, second }
            }
            TokenKind::Word | TokenKind::Compound => Stems {
                first: self.stem(token),
                second: None,
            },
        }
    }

    /// Returns whether tokens begin with the same letter as their stems.
    pub fn keeps_first_letters(self) -> bool {
        !matches!(
            self.latin,
            Some(Algorithm::Dutch | Algorithm::Indonesian | Algorithm::Polish)
        )
    }

    /// Returns the most letters at the end of a Latin stem that its word has not at their place, as in "able" and "ability". `None`:
    /// stems may differ from their words anywhere.
    pub fn max_changed_letters(self) -> Option<usize> {
        (self.latin == Some(Algorithm::English)).then_some(2)
    }

    fn stem(self, word: &str) -> String {
        let Some(algorithm) = self.algorithm(word) else {
            return word.to_owned();
        };
        let stem = Stemmer::new(algorithm).stem(word);
        if stem.is_empty() {
            word.to_owned()
        } else {
            stem.into_owned()
        }
    }

    fn algorithm(self, word: &str) -> Option<Algorithm> {
        let letter = word.chars().find(|character| character.is_alphabetic())?;
        match letter {
            letter if is_latin(letter) => self.latin,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Algorithm::Greek),
            '\u{400}'..='\u{52f}' => self.cyrillic,
            '\u{600}'..='\u{6ff}' => Some(Algorithm::Arabic),
            '\u{900}'..='\u{97f}' => Some(Algorithm::Hindi),
            _ => None,
        }
    }
}

/// Returns the least letters of the stem by which compounds are found that end with it; words have one letter more. Without a
/// language, the words may be of one with compounds, and short stems are endings of many English words.
fn min_last_part(language: Option<&str>) -> Option<usize> {
    match language {
        Some("de" | "nl" | "sv" | "da" | "no" | "fi" | "et" | "hu") => Some(3),
        None => Some(5),
        _ => None,
    }
}

fn is_latin(character: char) -> bool {
    matches!(character, ..'\u{250}' | '\u{1e00}'..='\u{1eff}') && character.is_alphabetic()
}

/// Returns the stemmer of Latin words. `None`: there is none for the language, and words match as they are written.
fn latin(language: Option<&str>) -> Option<Algorithm> {
    Some(match language {
        Some("fr") => Algorithm::French,
        Some("de") => Algorithm::German,
        Some("es") => Algorithm::Spanish,
        Some("it") => Algorithm::Italian,
        Some("pt") => Algorithm::Portuguese,
        Some("nl") => Algorithm::Dutch,
        Some("pl") => Algorithm::Polish,
        Some("tr") => Algorithm::Turkish,
        Some("sv") => Algorithm::Swedish,
        Some("no") => Algorithm::Norwegian,
        Some("da") => Algorithm::Danish,
        Some("fi") => Algorithm::Finnish,
        Some("cs") => Algorithm::Czech,
        Some("hu") => Algorithm::Hungarian,
        Some("ro") => Algorithm::Romanian,
        Some("id") => Algorithm::Indonesian,
        Some("lt") => Algorithm::Lithuanian,
        Some("et") => Algorithm::Estonian,
        Some("vi" | "ms" | "sk" | "hr" | "lv" | "sl") => return None,
        // English has no letters of its own: the Latin words in texts of other scripts are mostly English.
        Some(_) | None => Algorithm::English,
    })
}

/// Returns a word as the stemmers expect it: in lower case, with accents, each one character with its letter.
fn lower_case(written: &str) -> String {
    let visible = written.nfkc().filter(|character| !is_invisible(*character));
    visible
        .take(MAX_WRITTEN_LENGTH)
        .flat_map(char::to_lowercase)
        .nfc()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::tokenize;

    fn stems(language: Option<&str>, text: &str) -> Vec<Stems> {
        let stemmer = WordStemmer::of(language);
        let tokens = tokenize(text).into_iter();
        let stems = tokens.map(|token| stemmer.stems(&text[token.range.clone()], &token.text, token.kind));
        stems.collect()
    }

    fn are_forms(language: Option<&str>, one: &str, other: &str) -> bool {
        let (one, other) = (stems(language, one), stems(language, other));
        one[0].iter().any(|stem| other[0].iter().any(|same| same == stem))
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (language, one, other) in [
            (None, "cookie", "Cookies"),
            (None, "collapsible", "collapsed"),
            (None, "translate", "translations"),
            (Some("en"), "pricing", "prices"),
            (Some("de"), "Häuser", "Hauses"),
            (Some("de"), "Einstellungen", "einstellung"),
            (Some("fr"), "installée", "installer"),
            (Some("fr"), "installee", "installées"),
            (Some("es"), "configuración", "configuraciones"),
            (Some("pl"), "książki", "książka"),
            (Some("ru"), "данные", "данных"),
            (None, "базы", "база"),
            (Some("el"), "βάσης", "βάση"),
            (Some("ja"), "cookies", "cookie"),
            (Some("tr"), "İstanbul'da", "istanbul"),
        ] {
            assert!(are_forms(language, one, other), "{one} {other}");
        }
    }

    #[test]
    fn other_words_have_other_stems() {
        for (language, one, other) in [
            (None, "saml", "same"),
            (None, "changelog", "changes"),
            (Some("sk"), "cookie", "cookies"),
            (Some("uk"), "бази", "база"),
            (None, "東京", "東京都内"),
            (None, "2024", "202"),
        ] {
            let same = are_forms(language, one, other);
            assert_eq!(same, one == "東京", "{one} {other}");
        }
    }

    #[test]
    fn only_words_are_cut() {
        let of = |text| -> Vec<String> { stems(None, text).into_iter().map(|stems| stems.first).collect() };
        assert_eq!(of("e-mails"), ["e", "mail", "email"]);
        assert_eq!(of("東京都"), ["東京", "京都", "都"]);
        assert_eq!(stems(Some("fr"), "créées")[0].iter().count(), 2);
    }

    #[test]
    fn compounds_end_with_their_last_parts() {
        for (language, compound, last) in [
            ("de", "Benutzerverwaltung", "Verwaltung"),
            ("de", "Druckereinstellungen", "Einstellung"),
            ("de", "Datensicherung", "Sicherungen"),
            ("de", "Webseiten", "Seite"),
            ("de", "Nutzerübersicht", "Übersicht"),
            ("de", "Nutzerübersichten", "ubersicht"),
            ("de", "Kundendaten", "Daten"),
            ("de", "Dateinamen", "Name"),
            ("nl", "Gebruikersbeheer", "beheer"),
            ("nl", "Printerinstellingen", "instelling"),
            ("nl", "Toegangsrechten", "rechten"),
            ("sv", "Användarhantering", "hanteringen"),
            ("sv", "Skrivarinställningar", "inställning"),
            ("da", "Brugeradministration", "administration"),
            ("da", "Printerindstillinger", "indstilling"),
            ("no", "Skriverinnstillinger", "innstillinger"),
            ("no", "Brukerhåndtering", "håndtering"),
            ("fi", "Käyttäjähallinta", "hallinta"),
            ("et", "Kasutajakonto", "konto"),
            ("hu", "Felhasználókezelés", "kezelés"),
        ] {
            let stemmer = WordStemmer::of(Some(language));
            let (compound_stems, last_stems) = (&stems(Some(language), compound)[0], &stems(Some(language), last)[0]);
            let parts = last_stems.iter().filter_map(|stem| stemmer.last_part(last, stem));
            let parts: Vec<String> = parts.collect();
            let mut compounds = compound_stems.iter().filter_map(|stem| stemmer.compound(stem));
            let ends = compounds.any(|compound| parts.iter().any(|part| compound.starts_with(part)));
            assert!(ends, "{compound_stems:?} {last_stems:?}");
        }
    }

    #[test]
    fn other_words_have_no_last_parts() {
        for (language, word, last) in [
            (Some("de"), "bestellen", "stellen"),
            (Some("de"), "Verwaltung", "Verwaltung"),
            (Some("de"), "Fahrrad", "Rad"),
            (Some("en"), "workstation", "station"),
            (None, "support", "port"),
            (None, "database", "base"),
            (None, "0f3c9a77deadbeef", "deadbeef"),
        ] {
            let stemmer = WordStemmer::of(language);
            let compound = stemmer.compound(&stems(language, word)[0].first);
            let part = stemmer.last_part(last, &stems(language, last)[0].first);
            let ends = compound
                .zip(part)
                .is_some_and(|(compound, part)| compound.starts_with(&part));
            assert!(!ends, "{word} {last}");
        }
    }

    #[test]
    fn first_letters_are_kept() {
        for language in [None, Some("de"), Some("fr"), Some("tr")] {
            let stemmer = WordStemmer::of(language);
            assert!(stemmer.keeps_first_letters());
            for word in ["unhappily", "gegangen", "overpriced", "désinstallation", "evlerimizden"] {
                let token = normalize(word);
                let stems = stemmer.stems(word, &token, TokenKind::Word);
                assert!(stems.iter().all(|stem| stem[..1] == token[..1]), "{word}");
            }
        }
    }
}
