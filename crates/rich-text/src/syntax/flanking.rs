//! Delimiter runs that may open or close emphasis, by the characters beside them.
//!
//! The rules are those of CommonMark, which go by spaces and punctuation. Chinese, Japanese and Korean text has no spaces
//! between words, so beside its characters punctuation does not decide.

use finl_unicode::categories::CharacterCategories as _;

use super::scripts::is_cjk;

/// The parts that a delimiter run may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flanking {
    pub can_open: bool,
    pub can_close: bool,
}

impl Flanking {
    /// A run of `sign` between two characters; the edges of a text are line ends.
    pub fn of(sign: char, before: char, after: char) -> Self {
        let is_beside_cjk = is_cjk(before) || is_cjk(after);
        let (punctuation_before, punctuation_after) = (is_punctuation(before), is_punctuation(after));
        let left = !after.is_whitespace()
            && (!punctuation_after || before.is_whitespace() || punctuation_before || is_beside_cjk);
        let right = !before.is_whitespace()
            && (!punctuation_before || after.is_whitespace() || punctuation_after || is_beside_cjk);
        if sign != '_' {
            return Self {
                can_open: left,
                can_close: right,
            };
        }
        // Within a word an underscore is a letter.
        let is_apart = is_beside_cjk && (punctuation_before || punctuation_after);
        Self {
            can_open: left && (!right || punctuation_before || is_apart),
            can_close: right && (!left || punctuation_after || is_apart),
        }
    }
}

pub fn is_punctuation(c: char) -> bool {
    c.is_punctuation() || c.is_symbol()
}
