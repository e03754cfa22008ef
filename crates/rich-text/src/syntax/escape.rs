//! Text that is read as nothing but text.

use super::entities;

/// Where text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A paragraph, which may have several lines.
    Lines,
    /// A heading.
    Line,
    /// The words of a picture, wherever it stands.
    Description,
    /// A cell between `|`.
    Cell,
    /// Within a block of HTML.
    Html,
}

/// What stands around a text.
#[derive(Clone, Copy)]
pub struct Around {
    pub mode: Mode,
    /// Whether nothing follows in the same block.
    pub ends: bool,
}

pub fn text(text: &str, around: Around, out: &mut String) {
    let mut characters = text.char_indices().peekable();
    let mut before = out.chars().next_back();
    let bracketed = out.ends_with(']');
    // From here on there is only space.
    let end = text.trim_end().len();
    while let Some((at, c)) = characters.next() {
        let after = characters.peek().map(|(_, c)| *c);
        let line_start = before.is_none_or(|before| before == '\n');
        let at_edge = line_start || (around.ends && at >= end);
        if c == '\n' {
            line_end(before.is_none() || (around.ends && at >= end), around.mode, out);
        } else if c.is_whitespace() && (at_edge || after == Some('\n') || !matches!(c, ' ' | '\u{a0}' | '\u{3000}')) {
            entities::numbered(c, out);
        } else if around.mode == Mode::Html {
            html(c, text.get(at + 1..), around.ends, out);
        } else {
            let place = Place {
                before,
                after,
                line_start,
                follows_bracket: at == 0 && bracketed,
                rest: text.get(at + c.len_utf8()..).unwrap_or_default(),
                line: text.get(..at).unwrap_or_default(),
                mode: around.mode,
                ends: around.ends,
            };
            if needs_escape(c, &place) {
                out.push('\\');
            }
            out.push(c);
        }
        before = Some(c);
    }
}

/// A break within the text; one at its edge would not be read as such.
fn line_end(at_edge: bool, mode: Mode, out: &mut String) {
    match mode {
        _ if at_edge || mode == Mode::Description => entities::numbered('\n', out),
        Mode::Lines => out.push_str("\\\n"),
        Mode::Line | Mode::Cell | Mode::Html | Mode::Description => out.push_str("<br>"),
    }
}

fn html(c: char, rest: Option<&str>, ends: bool, out: &mut String) {
    match c {
        ':' if begins_emoji(rest.unwrap_or_default(), ends) => entities::numbered(c, out),
        c => entities::encode(c.encode_utf8(&mut [0; 4]), out),
    }
}

/// What decides whether a character could mean something.
struct Place<'t> {
    before: Option<char>,
    after: Option<char>,
    line_start: bool,
    follows_bracket: bool,
    rest: &'t str,
    line: &'t str,
    mode: Mode,
    /// Whether nothing follows the text.
    ends: bool,
}

fn needs_escape(c: char, place: &Place<'_>) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '$' => true,
        '_' => !(word(place.before) && word(place.after)),
        '|' => matches!(place.mode, Mode::Cell | Mode::Description) || place.line_start,
        '{' => place.after == Some('%'),
        '!' => place.after.is_none() || place.after == Some('['),
        '&' => place.after.is_none_or(|c| c.is_ascii_alphanumeric() || c == '#'),
        ':' => place.line_start || begins_emoji(place.rest, place.ends),
        '(' => place.follows_bracket,
        '#' => place.line_start || place.mode == Mode::Line,
        '>' | '+' | '-' | '=' => place.line_start,
        '.' | ')' => is_number(place.line),
        _ => false,
    }
}

/// Whether a word follows that ends with `:`, or ends where something else may begin with one.
fn begins_emoji(rest: &str, ends: bool) -> bool {
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-')));
    match end {
        Some(end) => end > 0 && rest.get(end..).is_some_and(|rest| rest.starts_with(':')),
        None => !ends,
    }
}

/// Whether the line so far is the number of a list item.
fn is_number(line: &str) -> bool {
    let digits = line.bytes().rev().take(10).take_while(u8::is_ascii_digit).count();
    let before = line.len() - digits;
    (1..10).contains(&digits) && (before == 0 || line.as_bytes().get(before - 1) == Some(&b'\n'))
}

/// An address in parentheses behind the text of a link.
pub fn destination(address: &str, out: &mut String) {
    // Without a semicolon there is no entity.
    let signs = if address.contains(';') {
        "-._~:/?#@!$,;=+%'"
    } else {
        "-._~:/?#@!$,&=+%'"
    };
    let simple = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
    if !address.is_empty() && address.chars().all(simple) {
        out.push_str(address);
        return;
    }
    out.push('<');
    for c in address.chars() {
        match c {
            '<' | '>' | '\\' => out.extend(['\\', c]),
            '&' => out.push_str("&amp;"),
            c if c.is_control() || c == '|' => entities::numbered(c, out),
            c => out.push(c),
        }
    }
    out.push('>');
}

/// A title in quotes behind an address.
pub fn title(title: &str, out: &mut String) {
    out.push('"');
    for c in title.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            // The parser takes a plain one before the quote at the end for an escape of it.
            '\\' => out.push_str("&#92;&#92;"),
            c if c.is_control() || matches!(c, '"' | '|') => entities::numbered(c, out),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The language of code.
pub fn info(info: &str, out: &mut String) {
    for c in info.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '`' => entities::numbered(c, out),
            c if c.is_control() => entities::numbered(c, out),
            c => out.push(c),
        }
    }
}
