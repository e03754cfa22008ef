//! Normalization of words: case, accents, width and other differences of spelling are removed.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Returns the letters and digits of a text in lower case and without accents.
pub fn normalize(text: &str) -> String {
    let mut normalized = String::with_capacity(text.len());
    normalize_into(&mut normalized, text);
    normalized
}

/// Appends the normalized text to a buffer.
pub fn normalize_into(normalized: &mut String, text: &str) {
    if text.is_ascii() {
        let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
        normalized.extend(letters.map(|byte| char::from(byte.to_ascii_lowercase())));
        return;
    }
    let mut decomposed = String::with_capacity(text.len());
    for character in text.nfkd().filter(|character| is_kept(*character)) {
        for lower in character.to_lowercase() {
            push_base_letter(&mut decomposed, lower);
        }
    }
    // Composes Hangul, Japanese and others again.
    normalized.extend(decomposed.nfc());
}

/// Returns whether a character within a word is invisible: soft hyphens, joiners, direction marks.
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

/// Returns whether a mark can be removed without making another word for a reader: accents of European scripts, points of
/// Hebrew, vowels of Arabic. In Indic and Japanese scripts, for example, marks distinguish words like letters.
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

/// Appends the base letters of a character. Unicode has no decomposition of ligatures and letters with a stroke.
fn push_base_letter(normalized: &mut String, lower: char) {
    match lower {
        'ß' => normalized.push_str("ss"),
        'æ' => normalized.push_str("ae"),
        'œ' => normalized.push_str("oe"),
        'þ' => normalized.push_str("th"),
        'ø' => normalized.push('o'),
        'ł' => normalized.push('l'),
        'đ' | 'ð' => normalized.push('d'),
        'ħ' => normalized.push('h'),
        'ı' => normalized.push('i'),
        'ς' => normalized.push('σ'),
        // The combining dot in the lower-case form of a capital I with a dot.
        other if is_accent(other) => {}
        other => normalized.push(other),
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
            assert_eq!(normalize(a), normalize(b), "{a} {b}");
        }
    }

    #[test]
    fn marks_that_make_another_word_stay() {
        for (a, b) in [("か", "が"), ("कि", "की"), ("ที่", "ทา"), ("값", "갑")] {
            assert_ne!(normalize(a), normalize(b), "{a} {b}");
        }
        assert_eq!(normalize("한국어"), "한국어");
    }

    #[test]
    fn other_characters_are_removed() {
        assert_eq!(normalize("\0 \"'*:^()-–—’🦀\u{200b}\u{301}"), "");
        assert_eq!(normalize("a-b_c.d"), "abcd");
    }
}
