//! The tokenizer: text to normalized tokens.

use std::ops::Range;

use crate::normalize::{is_invisible, is_mark, normalize, normalize_into};

/// The longest token in characters; longer words are truncated, in pages and in queries.
const MAX_TOKEN_LENGTH: usize = 64;

/// The most words of one compound, such as `curl_easy_setopt`.
const MAX_COMPOUND_WORDS: usize = 6;

/// A normalized word with its range in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub range: Range<usize>,
    pub kind: TokenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A word between spaces or other signs.
    Word,
    /// A bigram of a script without spaces between words, or its only character.
    Bigram,
    /// The last character of a run of such a script: it begins no bigram.
    LastCharacter,
    /// Several words with single signs between them, as one token: `e-mail` is also `email`.
    Compound,
}

/// Returns all tokens of a text, in their order.
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for_each_token(text, |text, range, kind| {
        let text = text.to_owned();
        tokens.push(Token { text, range, kind });
    });
    tokens
}

/// Calls `emit` with each token of a text, without collecting them.
pub fn for_each_token(text: &str, emit: impl FnMut(&str, Range<usize>, TokenKind)) {
    for_each_wanted_token(text, &WantedWords::ALL, emit);
}

/// Calls `emit` with each token of a text that is made of these words, and perhaps with others. Normalizing words is most of
/// the work, and most words cannot match what is looked for.
pub fn for_each_wanted_token(text: &str, wanted: &WantedWords, emit: impl FnMut(&str, Range<usize>, TokenKind)) {
    let mut tokenizer = Tokenizer {
        text,
        wanted,
        emit,
        normalized: String::new(),
        compound: Compound::default(),
    };
    let mut run: Option<(Script, Range<usize>)> = None;
    for (start, character) in text.char_indices() {
        let end = start + character.len_utf8();
        let script = script(character, run.as_ref().map(|(script, _)| *script));
        match &mut run {
            Some((same, range)) if Some(*same) == script => range.end = end,
            _ => {
                if let Some((script, range)) = run.take() {
                    tokenizer.end_run(script, range);
                }
                run = script.map(|script| (script, start..end));
            }
        }
    }
    if let Some((script, range)) = run {
        tokenizer.end_run(script, range);
    }
    tokenizer.end_compound();
}

/// Words that begin with one of some letters, and some long ones.
#[derive(Debug, Clone)]
pub struct WantedWords {
    /// A set of ASCII letters and digits. Words that begin with other characters are always wanted, because normalization may
    /// replace them.
    first: u128,
    /// `None`: words that begin with other letters are not wanted, however long they are.
    long: Option<LongWords>,
}

/// Words with so many letters. Words with other characters than ASCII letters and digits always belong to them.
#[derive(Debug, Clone)]
pub struct LongWords {
    pub min_letters: usize,
    /// The words have one of these parts. `None`: any.
    pub parts: Option<Vec<String>>,
}

impl WantedWords {
    pub const ALL: Self = Self {
        first: u128::MAX,
        long: None,
    };

    /// The words with the first letters of normalized tokens.
    pub fn beginning_as<'t>(tokens: impl Iterator<Item = &'t str>) -> Self {
        let first = tokens.filter_map(|token| token.bytes().next());
        Self {
            first: first.filter(u8::is_ascii).fold(0, |set, letter| set | 1 << letter),
            long: None,
        }
    }

    /// These words and the long ones.
    pub fn or(self, long: LongWords) -> Self {
        let long = Some(long);
        Self { long, ..self }
    }

    fn contain(&self, word: &str) -> bool {
        match word.bytes().next() {
            Some(letter) if letter.is_ascii() => {
                self.first & (1 << letter.to_ascii_lowercase()) != 0
                    || self.long.as_ref().is_some_and(|long| long.contain(word))
            }
            _ => true,
        }
    }
}

impl LongWords {
    fn contain(&self, word: &str) -> bool {
        if !word.is_ascii() {
            return true;
        }
        let has_part = |part: &String| {
            let mut places = word.as_bytes().windows(part.len().max(1));
            places.any(|letters| letters.eq_ignore_ascii_case(part.as_bytes()))
        };
        let parts = self.parts.as_ref();
        word.len() >= self.min_letters && parts.is_none_or(|parts| parts.iter().any(has_part))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    WithSpaces,
    WithoutSpaces,
}

/// Returns the script of a character. `None`: a separator. Marks and invisible characters have the script of the character
/// before them.
fn script(character: char, before: Option<Script>) -> Option<Script> {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric().then_some(Script::WithSpaces);
    }
    if before.is_some() && (is_mark(character) || is_invisible(character)) {
        return before;
    }
    if !character.is_alphanumeric() && !is_mark(character) {
        return None;
    }
    Some(if is_without_spaces(character) {
        Script::WithoutSpaces
    } else {
        Script::WithSpaces
    })
}

/// Returns whether a script has no spaces between words: Han, Kana, Thai, Lao, Myanmar and Khmer. Hangul has spaces, but is
/// treated the same, because its words take many suffixes.
fn is_without_spaces(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}'
        | '\u{3130}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{3ffff}')
}

struct Tokenizer<'t, F> {
    text: &'t str,
    wanted: &'t WantedWords,
    emit: F,
    /// The last token.
    normalized: String,
    compound: Compound,
}

/// The words of the current compound.
#[derive(Default)]
struct Compound {
    words: usize,
    /// `true`: the first word is wanted.
    is_wanted: bool,
    text: String,
    range: Range<usize>,
}

impl<F: FnMut(&str, Range<usize>, TokenKind)> Tokenizer<'_, F> {
    fn end_run(&mut self, script: Script, range: Range<usize>) {
        match script {
            Script::WithSpaces => self.add_word(range),
            Script::WithoutSpaces => {
                self.end_compound();
                self.add_bigrams(&range);
            }
        }
    }

    fn add_word(&mut self, range: Range<usize>) {
        let word = self.text.get(range.clone()).unwrap_or_default();
        let is_wanted = self.wanted.contain(word);
        let between = self.text.get(self.compound.range.end..range.start).unwrap_or_default();
        let continues = self.compound.words > 0 && matches!(between, "_" | "-" | "." | "/" | "'" | "’" | "‐" | "‑");
        if is_wanted || (continues && self.compound.is_wanted) {
            self.normalized.clear();
            normalize_into(&mut self.normalized, word);
            truncate(&mut self.normalized, MAX_TOKEN_LENGTH);
            if self.normalized.is_empty() {
                return;
            }
        }
        if !continues {
            self.end_compound();
            self.compound.range.start = range.start;
            self.compound.is_wanted = is_wanted;
        }
        self.compound.range.end = range.end;
        self.compound.words += 1;
        if self.compound.is_wanted && self.compound.words <= MAX_COMPOUND_WORDS {
            self.compound.text.push_str(&self.normalized);
        }
        if is_wanted {
            (self.emit)(&self.normalized, range, TokenKind::Word);
        }
    }

    fn end_compound(&mut self) {
        let compound = &mut self.compound;
        if compound.is_wanted && (2..=MAX_COMPOUND_WORDS).contains(&compound.words) {
            truncate(&mut compound.text, MAX_TOKEN_LENGTH);
            (self.emit)(&compound.text, compound.range.clone(), TokenKind::Compound);
        }
        compound.words = 0;
        compound.text.clear();
    }

    fn add_bigrams(&mut self, run: &Range<usize>) {
        let characters = self.characters(run);
        for pair in characters.windows(2) {
            if let [(first, from), (second, to)] = pair {
                self.normalized.clear();
                self.normalized.push_str(first);
                self.normalized.push_str(second);
                (self.emit)(&self.normalized, from.start..to.end, TokenKind::Bigram);
            }
        }
        let kind = if characters.len() == 1 {
            TokenKind::Bigram
        } else {
            TokenKind::LastCharacter
        };
        if let Some((text, range)) = characters.into_iter().next_back() {
            (self.emit)(&text, range, kind);
        }
    }

    /// Returns the normalized characters of a run, each with its marks.
    fn characters(&self, run: &Range<usize>) -> Vec<(String, Range<usize>)> {
        let text = self.text.get(run.clone()).unwrap_or_default();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (start, character) in text.char_indices() {
            let (start, end) = (run.start + start, run.start + start + character.len_utf8());
            match ranges.last_mut() {
                // Half-width sound marks are letters in Unicode, and become marks by normalization.
                Some(last) if is_mark(character) || matches!(character, '\u{ff9e}' | '\u{ff9f}') => last.end = end,
                _ => ranges.push(start..end),
            }
        }
        let normalized = ranges.into_iter().map(|range| {
            let mut text = normalize(self.text.get(range.clone()).unwrap_or_default());
            truncate(&mut text, MAX_TOKEN_LENGTH);
            (text, range)
        });
        normalized.filter(|(text, _)| !text.is_empty()).collect()
    }
}

/// Returns a whole title or heading as one token, for exact matches.
pub fn whole_token(text: &str) -> Option<String> {
    let mut letters = normalize(text);
    truncate(&mut letters, 2 * MAX_TOKEN_LENGTH);
    (!letters.is_empty()).then_some(letters)
}

/// Returns a whole title as one token that contains the code points of its signs: it distinguishes `C` from `C++`, and some
/// titles consist of signs only.
pub fn whole_token_with_signs(text: &str) -> Option<String> {
    let mut spelled = String::new();
    for (number, part) in text
        .split(char::is_whitespace)
        .filter(|part| !part.is_empty())
        .enumerate()
    {
        if number > 0 {
            spelled.push_str("u20");
        }
        let signs = part.split_inclusive(|character: char| !character.is_alphanumeric());
        for letters in signs {
            spelled.push_str(&normalize(letters));
            if let Some(sign) = letters.chars().next_back().filter(|last| is_sign(*last)) {
                spelled.push_str(&format!("u{:x}", u32::from(sign)));
            }
        }
    }
    truncate(&mut spelled, 2 * MAX_TOKEN_LENGTH);
    (!spelled.is_empty()).then_some(spelled)
}

fn is_sign(character: char) -> bool {
    !character.is_alphanumeric() && !is_mark(character) && !is_invisible(character) && !character.is_control()
}

pub fn truncate_token(text: &mut String) {
    truncate(text, MAX_TOKEN_LENGTH);
}

fn truncate(text: &mut String, characters: usize) {
    // A text has at least as many bytes as characters.
    if text.len() > characters
        && let Some((end, _)) = text.char_indices().nth(characters)
    {
        text.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        tokenize(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_are_separated_by_signs() {
        assert_eq!(
            texts("Use the --max-time option."),
            ["use", "the", "max", "time", "maxtime", "option"]
        );
        assert_eq!(
            texts("curl_easy_setopt()"),
            ["curl", "easy", "setopt", "curleasysetopt"]
        );
        assert_eq!(texts("HTTP/2 and http://x"), ["http", "2", "http2", "and", "http", "x"]);
        assert_eq!(texts("don’t"), ["don", "t", "dont"]);
        assert_eq!(texts(" \0\"*:^ "), [""; 0]);
        assert_eq!(texts("हिन्दी में"), ["हिन्दी", "में"]);
    }

    #[test]
    fn tokens_with_other_first_letters_are_left_out() {
        let text = "Use curl_easy_setopt() or --max-time, e-mail; Éclair 東京 C";
        let wanted = WantedWords::beginning_as(["e", "cookie"].into_iter());
        let mut some = Vec::new();
        for_each_wanted_token(text, &wanted, |token, range, _| some.push((token.to_owned(), range)));
        let found: Vec<&str> = some.iter().map(|(token, _)| token.as_str()).collect();
        assert_eq!(
            found,
            [
                "curl",
                "easy",
                "curleasysetopt",
                "e",
                "email",
                "eclair",
                "東京",
                "京",
                "c"
            ]
        );
        let all: Vec<_> = tokenize(text)
            .into_iter()
            .map(|token| (token.text, token.range))
            .collect();
        assert!(some.iter().all(|token| all.contains(token)), "{some:?}");
    }

    #[test]
    fn long_words_are_wanted_whatever_they_begin_with() {
        let text = "Use an air-conditioner, for longer ways; für große";
        for (parts, found) in [
            (None, &["conditioner", "longer", "fur", "grosse"][..]),
            (Some(vec!["NGE".to_owned()]), &["longer", "fur", "grosse"]),
        ] {
            let long = LongWords { min_letters: 6, parts };
            let wanted = WantedWords::beginning_as(["e"].into_iter()).or(long);
            let mut some = Vec::new();
            for_each_wanted_token(text, &wanted, |token, _, _| some.push(token.to_owned()));
            assert_eq!(some, found);
        }
    }

    #[test]
    fn scripts_without_spaces_become_bigrams() {
        assert_eq!(texts("東京都"), ["東京", "京都", "都"]);
        assert_eq!(texts("猫"), ["猫"]);
        assert_eq!(texts("第3章curl入門"), ["第", "3", "章", "curl", "入門", "門"]);
        assert_eq!(texts("ﾊﾟｽ"), ["パス", "ス"]);
        assert_eq!(texts("ที่นี่"), ["ที่นี่", "นี่"]);
        assert_eq!(texts("한국어"), ["한국", "국어", "어"]);
    }

    #[test]
    fn tokens_have_their_ranges() {
        let text = "Ünïcode, ｆｕｌｌ 東京都 e-mail";
        for token in tokenize(text) {
            let shown = &text[token.range.clone()];
            assert!(normalize(shown).starts_with(&token.text), "{shown} {token:?}");
        }
    }

    #[test]
    fn long_words_are_truncated() {
        let long = "é".repeat(1000);
        assert_eq!(texts(&long), ["e".repeat(MAX_TOKEN_LENGTH)]);
        assert_eq!(whole_token(&long).unwrap().chars().count(), 2 * MAX_TOKEN_LENGTH);
        // A compound of too many words is no token.
        assert_eq!(texts(&"a-".repeat(1000)).len(), 1000);
    }

    #[test]
    fn titles_are_words_with_and_without_signs() {
        assert_eq!(whole_token("C++ & Co"), Some("cco".to_owned()));
        assert_eq!(whole_token("!?"), None);
        assert_eq!(
            whole_token_with_signs(" Ç++  & Co"),
            Some("cu2bu2bu20u26u20co".to_owned())
        );
        assert_eq!(whole_token_with_signs("!?"), Some("u21u3f".to_owned()));
        assert_ne!(whole_token_with_signs("🦀"), whole_token_with_signs("🦞"));
        assert_eq!(whole_token_with_signs(" \n\0"), None);
        assert_eq!(
            whole_token_with_signs(&"+".repeat(1000)).unwrap().len(),
            2 * MAX_TOKEN_LENGTH
        );
    }
}
