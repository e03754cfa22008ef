//! Stems: what the forms of a word have in common, as the Snowball stemmers tell it.
//!
//! The language of a space decides about words in its script. Words in another script have a language of their own: a
//! Japanese text has English words, and many spaces have no language set.

use entity::library::spaces::Language;
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

/// The stemmers for the words of a space.
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
    pub fn of(language: Option<Language>) -> Self {
        Self {
            latin: latin(language),
            cyrillic: match language {
                // Their endings are others than those of Russian.
                Some(Language::Uk | Language::Bg) => None,
                _ => Some(Algorithm::Russian),
            },
            min_last_part: min_last_part(language),
        }
    }

    /// Returns what compounds are found by apart from their beginnings: the stem reversed, without the letters that have to stand
    /// before the last part. `None`: the word is too short for a compound.
    pub fn compound(self, stem: &str) -> Option<String> {
        let (start, _) = stem.char_indices().nth(MIN_FIRST_PART)?;
        // Compounds are longer than most words; every term takes room in the index.
        let is_long = stem.chars().count() > 2 * self.min_last_part?;
        is_long.then(|| self.reversed(stem.get(start..)?)).flatten()
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
fn min_last_part(language: Option<Language>) -> Option<usize> {
    use Language as L;
    match language {
        Some(L::De | L::Nl | L::Sv | L::Da | L::No | L::Fi | L::Et | L::Hu) => Some(3),
        None => Some(5),
        _ => None,
    }
}

fn is_latin(character: char) -> bool {
    matches!(character, ..'\u{250}' | '\u{1e00}'..='\u{1eff}') && character.is_alphabetic()
}

/// Returns the stemmer of Latin words. `None`: there is none for the language, and words match as they are written.
fn latin(language: Option<Language>) -> Option<Algorithm> {
    use Language as L;
    Some(match language {
        Some(L::Fr) => Algorithm::French,
        Some(L::De) => Algorithm::German,
        Some(L::Es) => Algorithm::Spanish,
        Some(L::It) => Algorithm::Italian,
        Some(L::Pt | L::PtBr) => Algorithm::Portuguese,
        Some(L::Nl) => Algorithm::Dutch,
        Some(L::Pl) => Algorithm::Polish,
        Some(L::Tr) => Algorithm::Turkish,
        Some(L::Sv) => Algorithm::Swedish,
        Some(L::No) => Algorithm::Norwegian,
        Some(L::Da) => Algorithm::Danish,
        Some(L::Fi) => Algorithm::Finnish,
        Some(L::Cs) => Algorithm::Czech,
        Some(L::Hu) => Algorithm::Hungarian,
        Some(L::Ro) => Algorithm::Romanian,
        Some(L::Id) => Algorithm::Indonesian,
        Some(L::Lt) => Algorithm::Lithuanian,
        Some(L::Et) => Algorithm::Estonian,
        Some(L::Vi | L::Ms | L::Sk | L::Hr | L::Lv | L::Sl) => return None,
        // The Latin words in texts of other scripts are mostly English.
        Some(L::En | L::Ru | L::Ja | L::Zh | L::ZhTw | L::Yue | L::Ko | L::Ar | L::Hi | L::El | L::Th) => {
            Algorithm::English
        }
        Some(L::He | L::Uk | L::Bg) | None => Algorithm::English,
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

    fn stems(language: Option<Language>, text: &str) -> Vec<Stems> {
        let stemmer = WordStemmer::of(language);
        let tokens = tokenize(text).into_iter();
        let stems = tokens.map(|token| stemmer.stems(&text[token.range.clone()], &token.text, token.kind));
        stems.collect()
    }

    fn are_forms(language: Option<Language>, one: &str, other: &str) -> bool {
        let (one, other) = (stems(language, one), stems(language, other));
        one[0].iter().any(|stem| other[0].iter().any(|same| same == stem))
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (language, one, other) in [
            (None, "cookie", "Cookies"),
            (None, "collapsible", "collapsed"),
            (None, "translate", "translations"),
            (Some(Language::En), "pricing", "prices"),
            (Some(Language::De), "Häuser", "Hauses"),
            (Some(Language::De), "Einstellungen", "einstellung"),
            (Some(Language::Fr), "installée", "installer"),
            (Some(Language::Fr), "installee", "installées"),
            (Some(Language::Es), "configuración", "configuraciones"),
            (Some(Language::Pl), "książki", "książka"),
            (Some(Language::Ru), "данные", "данных"),
            (None, "базы", "база"),
            (Some(Language::El), "βάσης", "βάση"),
            (Some(Language::Ja), "cookies", "cookie"),
            (Some(Language::Tr), "İstanbul'da", "istanbul"),
        ] {
            assert!(are_forms(language, one, other), "{one} {other}");
        }
    }

    #[test]
    fn other_words_have_other_stems() {
        for (language, one, other) in [
            (None, "saml", "same"),
            (None, "changelog", "changes"),
            (Some(Language::Sk), "cookie", "cookies"),
            (Some(Language::Uk), "бази", "база"),
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
        assert_eq!(stems(Some(Language::Fr), "créées")[0].iter().count(), 2);
    }

    #[test]
    fn compounds_end_with_their_last_parts() {
        use Language as L;
        for (language, compound, last) in [
            (L::De, "Benutzerverwaltung", "Verwaltung"),
            (L::De, "Druckereinstellungen", "Einstellung"),
            (L::De, "Datensicherung", "Sicherungen"),
            (L::De, "Webseiten", "Seite"),
            (L::De, "Nutzerübersicht", "Übersicht"),
            (L::De, "Nutzerübersichten", "ubersicht"),
            (L::De, "Kundendaten", "Daten"),
            (L::De, "Dateinamen", "Name"),
            (L::Nl, "Gebruikersbeheer", "beheer"),
            (L::Nl, "Printerinstellingen", "instelling"),
            (L::Nl, "Toegangsrechten", "rechten"),
            (L::Sv, "Användarhantering", "hanteringen"),
            (L::Sv, "Skrivarinställningar", "inställning"),
            (L::Da, "Brugeradministration", "administration"),
            (L::Da, "Printerindstillinger", "indstilling"),
            (L::No, "Skriverinnstillinger", "innstillinger"),
            (L::No, "Brukerhåndtering", "håndtering"),
            (L::Fi, "Käyttäjähallinta", "hallinta"),
            (L::Et, "Kasutajakonto", "konto"),
            (L::Hu, "Felhasználókezelés", "kezelés"),
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
            (Some(Language::De), "bestellen", "stellen"),
            (Some(Language::De), "Verwaltung", "Verwaltung"),
            (Some(Language::De), "Fahrrad", "Rad"),
            (Some(Language::En), "workstation", "station"),
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
        for language in [None, Some(Language::De), Some(Language::Fr), Some(Language::Tr)] {
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
