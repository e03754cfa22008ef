//! Escaping of text, link targets, titles and code languages in Markdown.

use super::entities;

/// The position of a text, which decides the escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscapeMode {
    /// A paragraph, which may have several lines.
    Paragraph,
    /// A heading, which is one line.
    Heading,
    /// The alternative text of an image.
    ImageAlt,
    /// A cell of a pipe table.
    PipeCell,
    /// An HTML block.
    Html,
}

/// The position of a text and its end.
#[derive(Clone, Copy)]
pub struct EscapeContext {
    pub mode: EscapeMode,
    /// The text is the last in its block.
    pub ends: bool,
}

pub fn text(text: &str, around: EscapeContext, out: &mut String) {
    let mut characters = text.char_indices().peekable();
    let mut before = out.chars().next_back();
    let bracketed = out.ends_with(']');
    // Only white space follows this offset.
    let end = text.trim_end().len();
    while let Some((at, c)) = characters.next() {
        let after = characters.peek().map(|(_, c)| *c);
        let line_start = before.is_none_or(|before| before == '\n');
        let at_edge = line_start || (around.ends && at >= end);
        if c == '\n' {
            line_end(before.is_none() || (around.ends && at >= end), around.mode, out);
        } else if c.is_whitespace() && (at_edge || after == Some('\n') || !matches!(c, ' ' | '\u{a0}' | '\u{3000}')) {
            entities::numbered(c, out);
        } else if around.mode == EscapeMode::Html {
            html(c, text.get(at + 1..), around.ends, out);
        } else {
            let context = CharContext {
                before,
                after,
                line_start,
                follows_bracket: at == 0 && bracketed,
                rest: text.get(at + c.len_utf8()..).unwrap_or_default(),
                line: text.get(..at).unwrap_or_default(),
                mode: around.mode,
                ends: around.ends,
            };
            if needs_escape(c, &context) {
                out.push('\\');
            }
            out.push(c);
        }
        before = Some(c);
    }
}

/// Appends a hard line break. At the edge of a block this must be a character reference: a line break would be dropped.
fn line_end(at_edge: bool, mode: EscapeMode, out: &mut String) {
    match mode {
        _ if at_edge || mode == EscapeMode::ImageAlt => entities::numbered('\n', out),
        EscapeMode::Paragraph => out.push_str("\\\n"),
        EscapeMode::Heading | EscapeMode::PipeCell | EscapeMode::Html | EscapeMode::ImageAlt => out.push_str("<br>"),
    }
}

fn html(c: char, rest: Option<&str>, ends: bool, out: &mut String) {
    match c {
        ':' if begins_emoji(rest.unwrap_or_default(), ends) => entities::numbered(c, out),
        c => entities::encode(c.encode_utf8(&mut [0; 4]), out),
    }
}

/// The characters and positions that decide an escape.
struct CharContext<'t> {
    before: Option<char>,
    after: Option<char>,
    line_start: bool,
    follows_bracket: bool,
    rest: &'t str,
    line: &'t str,
    mode: EscapeMode,
    /// The text is the last in its block.
    ends: bool,
}

fn needs_escape(c: char, context: &CharContext<'_>) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '$' => true,
        '_' => !(word(context.before) && word(context.after)),
        '|' => matches!(context.mode, EscapeMode::PipeCell | EscapeMode::ImageAlt) || context.line_start,
        '{' => context.after == Some('%'),
        '!' => context.after.is_none() || context.after == Some('['),
        '&' => context.after.is_none_or(|c| c.is_ascii_alphanumeric() || c == '#'),
        ':' => context.line_start || begins_emoji(context.rest, context.ends),
        '(' => context.follows_bracket,
        '#' => context.line_start || context.mode == EscapeMode::Heading,
        '>' | '+' | '-' | '=' => context.line_start,
        '.' | ')' => is_number(context.line),
        _ => false,
    }
}

/// Returns whether `:` begins a shortcode, or could with the text that follows.
fn begins_emoji(rest: &str, ends: bool) -> bool {
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-')));
    match end {
        Some(end) => end > 0 && rest.get(end..).is_some_and(|rest| rest.starts_with(':')),
        None => !ends,
    }
}

/// Returns whether the line so far is the number of a list item.
fn is_number(line: &str) -> bool {
    let digits = line.bytes().rev().take(10).take_while(u8::is_ascii_digit).count();
    let before = line.len() - digits;
    (1..10).contains(&digits) && (before == 0 || line.as_bytes().get(before - 1) == Some(&b'\n'))
}

/// Appends the destination of a link.
pub fn destination(address: &str, out: &mut String) {
    // Without a semicolon there is no character reference.
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

/// Appends the quoted title of a link.
pub fn title(title: &str, out: &mut String) {
    out.push('"');
    for c in title.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            // The parser takes a single backslash before the closing quote for an escape.
            '\\' => out.push_str("&#92;&#92;"),
            c if c.is_control() || matches!(c, '"' | '|') => entities::numbered(c, out),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends the info string of a code fence.
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
