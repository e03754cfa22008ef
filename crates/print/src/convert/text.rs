//! Characters.

use serde_json::{Value, json};

/// Characters of a word in a line of text after which it may be broken.
pub const LINE_WORD: usize = 50;

/// Characters of a word in code after which it may be broken.
pub const CODE_WORD: usize = 86;

/// A place where a line may be broken, without a width.
const BREAK: char = '\u{200b}';

/// A `t` node.
pub fn node(text: &str) -> Value {
    json!({ "k": "t", "v": text, "m": [], "c": "", "b": "" })
}

/// Returns the text without control characters, with places to break words of more than `word` characters: after them, and
/// after punctuation in their second half.
pub fn clean(text: &str, word: usize) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut run = 0_usize;
    for character in text.chars() {
        match character {
            '\t' => clean.push_str("    "),
            '\n' => clean.push('\n'),
            _ if character.is_control() => {}
            _ => {
                // Only between ASCII characters: elsewhere a break could part what belongs together.
                if run >= word && character.is_ascii_graphic() {
                    clean.push(BREAK);
                    run = 0;
                }
                clean.push(character);
                if run > word / 2 && "_-./:=&?,;".contains(character) {
                    clean.push(BREAK);
                    run = 0;
                    continue;
                }
            }
        }
        run = if character.is_ascii_graphic() { run + 1 } else { 0 };
    }
    clean
}

/// The characters of an emoji by its code points.
pub fn emoji(code: &str) -> String {
    let points = code.split('-').map(|point| u32::from_str_radix(point, 16).ok());
    let characters: Option<String> = points.map(|point| char::from_u32(point?)).collect();
    characters.unwrap_or_else(|| format!(":{code}:"))
}
