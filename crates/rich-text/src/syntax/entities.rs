//! Character references such as `&amp;`.

use std::borrow::Cow;

/// Decodes character references; unknown ones stay as they are.
pub fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        decoded.push_str(before);
        match decode_one(entity) {
            Some((character, after)) => {
                decoded.push(character);
                rest = after;
            }
            None => {
                decoded.push('&');
                rest = entity.get(1..).unwrap_or_default();
            }
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// Decodes the value of an attribute of HTML as browsers do: with all names, and without a semicolon where that counts.
pub fn decode_attribute(value: &str) -> String {
    htmlize::unescape_attribute(value).into_owned()
}

/// Removes backslash escapes and decodes character references.
pub fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '&']) {
        let (before, sign) = rest.split_at(at);
        plain.push_str(before);
        let escaped = sign
            .strip_prefix('\\')
            .and_then(|after| after.chars().next())
            .filter(char::is_ascii_punctuation);
        let (character, after) = match escaped {
            Some(character) => (character, sign.get(2..).unwrap_or_default()),
            None => decode_one(sign).unwrap_or((
                sign.chars().next().unwrap_or_default(),
                sign.get(1..).unwrap_or_default(),
            )),
        };
        plain.push(character);
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// The length of `&#1114111;`.
const MAX_LENGTH: usize = 10;

fn decode_one(text: &str) -> Option<(char, &str)> {
    let end = text.bytes().take(MAX_LENGTH).position(|byte| byte == b';')?;
    let (name, rest) = (text.get(1..end)?, text.get(end + 1..)?);
    let character = match name.strip_prefix('#') {
        Some(number) => decode_numeric(number)?,
        None => match name {
            "amp" | "AMP" => '&',
            "lt" | "LT" => '<',
            "gt" | "GT" => '>',
            "quot" | "QUOT" => '"',
            "apos" => '\'',
            "nbsp" => '\u{a0}',
            _ => return None,
        },
    };
    Some((character, rest))
}

fn decode_numeric(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32).filter(|c| *c != '\0')
}

/// Encodes text between tags, and attribute values in double quotes.
pub fn encode(text: &str, out: &mut String) {
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '{' if characters.peek() == Some(&'%') => encode_numeric(c, out),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A pipe table would end the cell at `|`.
            '\n' | '\r' | '\t' | '|' => encode_numeric(c, out),
            c => out.push(c),
        }
    }
}

pub fn encode_numeric(c: char, out: &mut String) {
    out.push_str(&format!("&#{};", u32::from(c)));
}
