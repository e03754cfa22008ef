//! The form in which words are compared: without case, accents, width and other differences of spelling.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Letters and digits of a text in lower case and without accents; all else is left out.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(&mut folded, text);
    folded
}

/// The same at the end of what is there.
pub fn fold_into(folded: &mut String, text: &str) {
    if text.is_ascii() {
        let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
        folded.extend(letters.map(|byte| char::from(byte.to_ascii_lowercase())));
        return;
    }
    let mut apart = String::with_capacity(text.len());
    for character in text.nfkd().filter(|character| is_kept(*character)) {
        for lower in character.to_lowercase() {
            push_plain(&mut apart, lower);
        }
    }
    // Hangul, Japanese and others are put together again.
    folded.extend(apart.nfc());
}

/// Characters that show nothing, within words: soft hyphens, joiners, marks of direction.
pub fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200c}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

pub fn is_mark(character: char) -> bool {
    !character.is_ascii() && is_combining_mark(character)
}

fn is_kept(character: char) -> bool {
    if is_mark(character) {
        return !is_accent(character);
    }
    // U+0640 only stretches Arabic words.
    character.is_alphanumeric() && character != '\u{640}'
}

/// Marks without which a word is still the same to those who search: accents of European scripts, points of Hebrew, vowels of
/// Arabic. In the scripts of India and Japan, for example, they are as good as letters.
fn is_accent(mark: char) -> bool {
    matches!(mark,
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{487}'
        | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{6d6}'..='\u{6ed}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}')
}

/// Letters that are another one with a stroke, or two in one, have no decomposition in Unicode.
fn push_plain(folded: &mut String, lower: char) {
    match lower {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'þ' => folded.push_str("th"),
        'ø' => folded.push('o'),
        'ł' => folded.push('l'),
        'đ' | 'ð' => folded.push('d'),
        'ħ' => folded.push('h'),
        'ı' => folded.push('i'),
        'ς' => folded.push('σ'),
        // What lower case makes of a capital I with a dot.
        other if is_accent(other) => {}
        other => folded.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_word_are_one() {
        for (a, b) in [
            ("Éclair", "eclair"),
            ("e\u{301}clair", "éclair"),
            ("STRASSE", "straße"),
            ("STRAẞE", "strasse"),
            ("İstanbul", "istanbul"),
            ("DIŞ", "dış"),
            ("ΟΔΥΣΣΕΥΣ", "οδυσσεύς"),
            ("Ｃｕｒｌ２", "curl2"),
            ("ﾊﾟｽﾜｰﾄﾞ", "パスワード"),
            ("Łódź", "lodz"),
            ("Ёлка", "елка"),
            ("מִלָּה", "מלה"),
            ("كِتَابٌ", "كتاب"),
            ("soft\u{ad}ware", "software"),
            ("ﬁle", "file"),
        ] {
            assert_eq!(fold(a), fold(b), "{a} {b}");
        }
    }

    #[test]
    fn marks_that_make_another_word_stay() {
        for (a, b) in [("か", "が"), ("कि", "की"), ("ที่", "ทา"), ("값", "갑")] {
            assert_ne!(fold(a), fold(b), "{a} {b}");
        }
        assert_eq!(fold("한국어"), "한국어");
    }

    #[test]
    fn all_else_is_left_out() {
        assert_eq!(fold("\0 \"'*:^()-–—’🦀\u{200b}\u{301}"), "");
        assert_eq!(fold("a-b_c.d"), "abcd");
    }
}
