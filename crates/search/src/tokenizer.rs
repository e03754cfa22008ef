//! Cutting text into words.

use std::ops::Range;

use crate::normalize::{fold, fold_into, is_invisible, is_mark};

/// Characters of a word that count; what follows is not looked at, in pages and in searches.
const MAX_CHARACTERS: usize = 64;

/// Words that are joined to one, like the parts of `curl_easy_setopt`.
const MAX_PARTS: usize = 6;

/// A word as it is compared, and where it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub range: Range<usize>,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Written with spaces, or other signs, around it.
    Plain,
    /// Two neighbours in a script without spaces between words, or one that is alone.
    Pair,
    /// The last character of such a script before something else: it begins no pair.
    Tail,
    /// Several plain words with single signs between them, as one: `e-mail` is also `email`.
    Joined,
}

/// All words of a text, in their order.
pub fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    each_word(text, |text, range, kind| {
        let text = text.to_owned();
        words.push(Word { text, range, kind });
    });
    words
}

/// The same one by one, for long texts.
pub fn each_word(text: &str, found: impl FnMut(&str, Range<usize>, Kind)) {
    let mut cutter = Cutter {
        text,
        found,
        folded: String::new(),
        joined: Joined::default(),
    };
    let mut run: Option<(Script, Range<usize>)> = None;
    for (start, character) in text.char_indices() {
        let end = start + character.len_utf8();
        let script = script(character, run.as_ref().map(|(script, _)| *script));
        match &mut run {
            Some((same, range)) if Some(*same) == script => range.end = end,
            _ => {
                if let Some((script, range)) = run.take() {
                    cutter.end(script, range);
                }
                run = script.map(|script| (script, start..end));
            }
        }
    }
    if let Some((script, range)) = run {
        cutter.end(script, range);
    }
    cutter.join();
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    WithSpaces,
    WithoutSpaces,
}

/// None stands between words. Marks and what is invisible belong to the character before.
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

/// Han, Kana, Thai, Lao, Myanmar and Khmer. Hangul has spaces, but its words grow at the end without limit.
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

struct Cutter<'t, F> {
    text: &'t str,
    found: F,
    /// The last word.
    folded: String,
    joined: Joined,
}

/// Plain words with single signs between them, up to here.
#[derive(Default)]
struct Joined {
    parts: usize,
    text: String,
    range: Range<usize>,
}

impl<F: FnMut(&str, Range<usize>, Kind)> Cutter<'_, F> {
    fn end(&mut self, script: Script, range: Range<usize>) {
        match script {
            Script::WithSpaces => self.plain(range),
            Script::WithoutSpaces => {
                self.join();
                self.pairs(&range);
            }
        }
    }

    fn plain(&mut self, range: Range<usize>) {
        self.folded.clear();
        fold_into(&mut self.folded, self.text.get(range.clone()).unwrap_or_default());
        shorten(&mut self.folded, MAX_CHARACTERS);
        if self.folded.is_empty() {
            return;
        }
        let between = self.text.get(self.joined.range.end..range.start).unwrap_or_default();
        if self.joined.parts == 0 || !matches!(between, "_" | "-" | "." | "/" | "'" | "’" | "‐" | "‑") {
            self.join();
            self.joined.range.start = range.start;
        }
        self.joined.range.end = range.end;
        self.joined.parts += 1;
        if self.joined.parts <= MAX_PARTS {
            self.joined.text.push_str(&self.folded);
        }
        (self.found)(&self.folded, range, Kind::Plain);
    }

    fn join(&mut self) {
        let joined = &mut self.joined;
        if (2..=MAX_PARTS).contains(&joined.parts) {
            shorten(&mut joined.text, MAX_CHARACTERS);
            (self.found)(&joined.text, joined.range.clone(), Kind::Joined);
        }
        joined.parts = 0;
        joined.text.clear();
    }

    fn pairs(&mut self, run: &Range<usize>) {
        let characters = self.characters(run);
        for pair in characters.windows(2) {
            if let [(first, from), (second, to)] = pair {
                self.folded.clear();
                self.folded.push_str(first);
                self.folded.push_str(second);
                (self.found)(&self.folded, from.start..to.end, Kind::Pair);
            }
        }
        let kind = if characters.len() == 1 { Kind::Pair } else { Kind::Tail };
        if let Some((text, range)) = characters.into_iter().next_back() {
            (self.found)(&text, range, kind);
        }
    }

    /// The characters of a run, each with its marks.
    fn characters(&self, run: &Range<usize>) -> Vec<(String, Range<usize>)> {
        let text = self.text.get(run.clone()).unwrap_or_default();
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (start, character) in text.char_indices() {
            let (start, end) = (run.start + start, run.start + start + character.len_utf8());
            match ranges.last_mut() {
                // Half-width sound marks are letters to Unicode, and marks once they are folded.
                Some(last) if is_mark(character) || matches!(character, '\u{ff9e}' | '\u{ff9f}') => last.end = end,
                _ => ranges.push(start..end),
            }
        }
        let folded = ranges.into_iter().map(|range| {
            let mut text = fold(self.text.get(range.clone()).unwrap_or_default());
            shorten(&mut text, MAX_CHARACTERS);
            (text, range)
        });
        folded.filter(|(text, _)| !text.is_empty()).collect()
    }
}

/// A whole title or heading as one word, to find it by exactly this.
pub fn whole(text: &str) -> Option<String> {
    let mut letters = fold(text);
    shorten(&mut letters, 2 * MAX_CHARACTERS);
    (!letters.is_empty()).then_some(letters)
}

/// The same with its signs, each by its number: it tells `C` from `C++`, and there are titles of nothing but signs.
pub fn spelled(text: &str) -> Option<String> {
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
            spelled.push_str(&fold(letters));
            if let Some(sign) = letters.chars().next_back().filter(|last| is_sign(*last)) {
                spelled.push_str(&format!("u{:x}", u32::from(sign)));
            }
        }
    }
    shorten(&mut spelled, 2 * MAX_CHARACTERS);
    (!spelled.is_empty()).then_some(spelled)
}

fn is_sign(character: char) -> bool {
    !character.is_alphanumeric() && !is_mark(character) && !is_invisible(character) && !character.is_control()
}

fn shorten(text: &mut String, characters: usize) {
    // Bytes are never fewer than characters.
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
        words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_are_what_stands_between_signs() {
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
    fn scripts_without_spaces_are_cut_into_pairs() {
        assert_eq!(texts("東京都"), ["東京", "京都", "都"]);
        assert_eq!(texts("猫"), ["猫"]);
        assert_eq!(texts("第3章curl入門"), ["第", "3", "章", "curl", "入門", "門"]);
        assert_eq!(texts("ﾊﾟｽ"), ["パス", "ス"]);
        assert_eq!(texts("ที่นี่"), ["ที่นี่", "นี่"]);
        assert_eq!(texts("한국어"), ["한국", "국어", "어"]);
    }

    #[test]
    fn words_know_where_they_stand() {
        let text = "Ünïcode, ｆｕｌｌ 東京都 e-mail";
        for word in words(text) {
            let shown = &text[word.range.clone()];
            assert!(fold(shown).starts_with(&word.text), "{shown} {word:?}");
        }
    }

    #[test]
    fn long_words_are_cut() {
        let long = "é".repeat(1000);
        assert_eq!(texts(&long), ["e".repeat(MAX_CHARACTERS)]);
        assert_eq!(whole(&long).unwrap().chars().count(), 2 * MAX_CHARACTERS);
        // Too many parts are none.
        assert_eq!(texts(&"a-".repeat(1000)).len(), 1000);
    }

    #[test]
    fn titles_are_words_with_and_without_signs() {
        assert_eq!(whole("C++ & Co"), Some("cco".to_owned()));
        assert_eq!(whole("!?"), None);
        assert_eq!(spelled(" Ç++  & Co"), Some("cu2bu2bu20u26u20co".to_owned()));
        assert_eq!(spelled("!?"), Some("u21u3f".to_owned()));
        assert_ne!(spelled("🦀"), spelled("🦞"));
        assert_eq!(spelled(" \n\0"), None);
        assert_eq!(spelled(&"+".repeat(1000)).unwrap().len(), 2 * MAX_CHARACTERS);
    }
}
