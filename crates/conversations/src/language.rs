//! Languages of texts, and the stems of their words.
//!
//! Texts of support are short, and the trigrams of `whatlang` need some sentences to be sure in the Latin script, which most
//! languages have. Stop words tell more there: the language most of whose stop words occur is taken, and trigrams decide
//! between equals.

use std::{collections::HashMap, sync::LazyLock};

use text_analysis::{
    stemmer::WordStemmer,
    tokenizer::{TokenKind, for_each_token},
};
use whatlang::{Detector, Info, Lang, Script, detect_script};

/// The most characters by which the language of a text is detected.
const SAMPLE: usize = 2000;

/// The most digits of a number that says something: longer ones are ids.
const MAX_DIGITS: usize = 4;

/// The languages that are known, by ISO 639-1 codes. Languages of one script that are as likely as each other: the first.
const LANGUAGES: [(Lang, &str); 35] = [
    (Lang::Eng, "en"),
    (Lang::Deu, "de"),
    (Lang::Fra, "fr"),
    (Lang::Spa, "es"),
    (Lang::Por, "pt"),
    (Lang::Ita, "it"),
    (Lang::Nld, "nl"),
    (Lang::Pol, "pl"),
    (Lang::Rus, "ru"),
    (Lang::Ukr, "uk"),
    (Lang::Bul, "bg"),
    (Lang::Tur, "tr"),
    (Lang::Swe, "sv"),
    (Lang::Nob, "no"),
    (Lang::Dan, "da"),
    (Lang::Fin, "fi"),
    (Lang::Ces, "cs"),
    (Lang::Slk, "sk"),
    (Lang::Slv, "sl"),
    (Lang::Hrv, "hr"),
    (Lang::Hun, "hu"),
    (Lang::Ron, "ro"),
    (Lang::Lit, "lt"),
    (Lang::Lav, "lv"),
    (Lang::Est, "et"),
    (Lang::Ind, "id"),
    (Lang::Vie, "vi"),
    (Lang::Ell, "el"),
    (Lang::Ara, "ar"),
    (Lang::Heb, "he"),
    (Lang::Hin, "hi"),
    (Lang::Jpn, "ja"),
    (Lang::Cmn, "zh"),
    (Lang::Kor, "ko"),
    (Lang::Tha, "th"),
];

/// Normalized stop words, with the languages that have them: bits by their places in [`LANGUAGES`].
static STOP_WORDS: LazyLock<HashMap<String, u64>> = LazyLock::new(|| {
    let mut words: HashMap<String, u64> = HashMap::new();
    for (place, (_, code)) in LANGUAGES.iter().enumerate() {
        for written in stop_words::lookup(code).unwrap_or_default() {
            for_each_token(written, |token, _, _| {
                *words.entry(token.to_owned()).or_default() |= 1 << place;
            });
        }
    }
    words
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language {
    place: usize,
}

impl Language {
    pub const ENGLISH: Self = Self { place: 0 };

    pub fn of_code(code: &str) -> Option<Self> {
        let place = LANGUAGES.iter().position(|(_, known)| *known == code)?;
        Some(Self { place })
    }

    pub fn code(self) -> &'static str {
        LANGUAGES.get(self.place).map_or("en", |(_, code)| code)
    }

    /// Returns the language of a text; English, if nothing tells it.
    pub fn detect(text: &str) -> Self {
        let end = text.char_indices().nth(SAMPLE).map_or(text.len(), |(end, _)| end);
        let sample = text.get(..end).unwrap_or(text);
        let script = detect_script(sample);
        let is_latin = script.is_none_or(|script| script == Script::Latin);
        let mut candidates = by_stop_words(sample);
        match script {
            None | Some(Script::Latin) => {}
            // The short words are the same; Ukrainian has letters of its own.
            Some(Script::Cyrillic) => {
                let is_ukrainian = sample.contains(['і', 'ї', 'є', 'ґ', 'І', 'Ї', 'Є', 'Ґ']);
                candidates.retain(|language| (language.code() == "uk") == is_ukrainian);
            }
            Some(_) => candidates.clear(),
        }
        let detected = match candidates.as_slice() {
            [one] => return *one,
            [] => by_trigrams(sample, (0..LANGUAGES.len()).collect()).filter(|info| !is_latin || info.is_reliable()),
            several => by_trigrams(sample, several.iter().map(|language| language.place).collect()),
        };
        let detected = detected.and_then(|info| LANGUAGES.iter().position(|(lang, _)| *lang == info.lang()));
        let detected = detected.map(|place| Self { place });
        detected.or(candidates.first().copied()).unwrap_or(Self::ENGLISH)
    }

    /// Calls `emit` with the stem of each word that says something: no stop words, no single letters, no long numbers.
    pub fn for_each_stem(self, text: &str, mut emit: impl FnMut(&str)) {
        let stemmer = WordStemmer::of(Some(self.code()));
        for_each_token(text, |token, range, kind| {
            if kind == TokenKind::LastCharacter || self.is_stop_word(token) {
                return;
            }
            let is_number = token.bytes().all(|byte| byte.is_ascii_digit());
            if kind != TokenKind::Bigram && (token.chars().nth(1).is_none() || is_number && token.len() > MAX_DIGITS) {
                return;
            }
            let stems = stemmer.stems(text.get(range).unwrap_or_default(), token, kind);
            // Accents are often left out: the stem without them is the same for both.
            emit(&stems.second.unwrap_or(stems.first));
        });
    }

    fn is_stop_word(self, token: &str) -> bool {
        STOP_WORDS
            .get(token)
            .is_some_and(|languages| languages & (1 << self.place) != 0)
    }
}

fn by_trigrams(text: &str, places: Vec<usize>) -> Option<Info> {
    let languages = places.into_iter().filter_map(|place| LANGUAGES.get(place));
    Detector::with_allowlist(languages.map(|(lang, _)| *lang).collect()).detect(text)
}

/// Returns the languages with the most stop words in a text. None: it has no stop words.
fn by_stop_words(text: &str) -> Vec<Language> {
    let mut counts = [0_u32; LANGUAGES.len()];
    for_each_token(text, |token, _, kind| {
        if kind != TokenKind::Word || token.len() < 2 {
            return;
        }
        let languages = STOP_WORDS.get(token).copied().unwrap_or_default();
        for (place, count) in counts.iter_mut().enumerate() {
            *count += u32::from(languages & (1 << place) != 0);
        }
    });
    let most = counts.iter().copied().max().unwrap_or_default();
    let best = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| most > 0 && **count == most);
    best.map(|(place, _)| Language { place }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_short_texts_are_detected() {
        for (text, code) in [
            ("How do I change my password?", "en"),
            ("Login broken", "en"),
            ("Ich kann mich nicht anmelden", "de"),
            ("Wo finde ich die Rechnung?", "de"),
            ("Je ne peux pas me connecter", "fr"),
            ("No puedo entrar en mi cuenta", "es"),
            ("Não consigo entrar na minha conta", "pt"),
            ("Non riesco ad accedere al mio account", "it"),
            ("Ik kan niet inloggen", "nl"),
            ("Nie mogę się zalogować", "pl"),
            ("Не могу войти в аккаунт", "ru"),
            ("Не можу увійти до свого акаунту", "uk"),
            ("パスワードをリセットできません", "ja"),
            ("我无法登录我的账户", "zh"),
            ("비밀번호를 재설정할 수 없습니다", "ko"),
            ("لا أستطيع تسجيل الدخول", "ar"),
            ("404", "en"),
            ("", "en"),
        ] {
            assert_eq!(Language::detect(text).code(), code, "{text}");
        }
    }

    #[test]
    fn words_without_meaning_are_left_out() {
        let stems = |text: &str| {
            let mut stems = Vec::new();
            Language::detect(text).for_each_stem(text, |stem| stems.push(stem.to_owned()));
            stems
        };
        assert_eq!(
            stems("I don't get the invoices of order 1234567, error 404"),
            ["get", "invoic", "order", "error", "404"]
        );
        assert_eq!(stems("Où est la clé d'accès ?"), stems("Ou est la cle d'acces ?"));
        assert_eq!(stems("東京都"), ["東京", "京都"]);
    }

    #[test]
    fn every_language_has_stop_words() {
        for (_, code) in LANGUAGES {
            assert!(stop_words::lookup(code).is_some(), "{code}");
        }
    }
}
