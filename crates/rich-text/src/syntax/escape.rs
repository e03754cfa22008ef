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
    pub is_last: bool,
}

pub fn escape_text(text: &str, context: EscapeContext, out: &mut String) {
    let mut characters = text.char_indices().peekable();
    let mut before = out.chars().next_back();
    let bracketed = out.ends_with(']');
    // Only white space follows this offset.
    let end = text.trim_end().len();
    while let Some((at, c)) = characters.next() {
        let after = characters.peek().map(|(_, c)| *c);
        let line_start = before.is_none_or(|before| before == '\n');
        let at_edge = line_start || (context.is_last && at >= end);
        if c == '\n' {
            push_hard_break(before.is_none() || (context.is_last && at >= end), context.mode, out);
        } else if c.is_whitespace() && (at_edge || after == Some('\n') || !matches!(c, ' ' | '\u{a0}' | '\u{3000}')) {
            entities::encode_numeric(c, out);
        } else if context.mode == EscapeMode::Html {
            escape_html(c, text.get(at + 1..), context.is_last, out);
        } else {
            let position = CharContext {
                before,
                after,
                line_start,
                follows_bracket: at == 0 && bracketed,
                rest: text.get(at + c.len_utf8()..).unwrap_or_default(),
                line: text.get(..at).unwrap_or_default(),
                mode: context.mode,
                is_last: context.is_last,
            };
            if needs_escape(c, &position) {
                out.push('\\');
            }
            out.push(c);
        }
        before = Some(c);
    }
}

/// Appends a hard line break. At the edge of a block this must be a character reference: a line break would be dropped.
fn push_hard_break(at_edge: bool, mode: EscapeMode, out: &mut String) {
    match mode {
        _ if at_edge || mode == EscapeMode::ImageAlt => entities::encode_numeric('\n', out),
        EscapeMode::Paragraph => out.push_str("\\\n"),
        EscapeMode::Heading | EscapeMode::PipeCell | EscapeMode::Html | EscapeMode::ImageAlt => out.push_str("<br>"),
    }
}

fn escape_html(c: char, rest: Option<&str>, is_last: bool, out: &mut String) {
    match c {
        ':' if begins_shortcode(rest.unwrap_or_default(), is_last) => entities::encode_numeric(c, out),
        '{' if rest.is_none_or(|rest| rest.is_empty() || rest.starts_with('%')) => entities::encode_numeric(c, out),
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
    is_last: bool,
}

/// Returns whether a colon makes the scheme before it an address.
fn is_address(context: &CharContext<'_>) -> bool {
    let ends_with = |scheme: &str| {
        let start = context.line.len().checked_sub(scheme.len());
        let end = start.and_then(|start| context.line.get(start..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(scheme))
    };
    context.rest.starts_with("//") && ["http", "https", "ftp"].into_iter().any(ends_with)
}

fn needs_escape(c: char, context: &CharContext<'_>) -> bool {
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '~' | '$' => true,
        '_' => !(word(context.before) && word(context.after)),
        '|' => matches!(context.mode, EscapeMode::PipeCell | EscapeMode::ImageAlt) || context.line_start,
        '{' => context.after.is_none_or(|after| after == '%'),
        '@' => word(context.after) && context.before.is_some_and(|c| word(Some(c)) || "._-+".contains(c)),
        '!' => context.after.is_none() || context.after == Some('['),
        '&' => context.after.is_none_or(|c| c.is_ascii_alphanumeric() || c == '#'),
        ':' => context.line_start || is_address(context) || begins_shortcode(context.rest, context.is_last),
        '(' => context.follows_bracket,
        '#' => context.line_start || context.mode == EscapeMode::Heading,
        '>' | '+' | '-' | '=' => context.line_start,
        '.' if context.line.ends_with("www") => true,
        '.' | ')' => is_item_number(context.line),
        _ => false,
    }
}

/// Returns whether `:` begins a shortcode, or could with the text that follows.
fn begins_shortcode(rest: &str, is_last: bool) -> bool {
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-')));
    match end {
        Some(end) => end > 0 && rest.get(end..).is_some_and(|rest| rest.starts_with(':')),
        None => !is_last,
    }
}

/// Returns whether the line so far is the number of a list item.
fn is_item_number(line: &str) -> bool {
    let digits = line.bytes().rev().take(10).take_while(u8::is_ascii_digit).count();
    let before = line.len() - digits;
    (1..10).contains(&digits) && (before == 0 || line.as_bytes().get(before - 1) == Some(&b'\n'))
}

/// Appends the destination of a link.
pub fn escape_destination(address: &str, out: &mut String) {
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
    let mut characters = address.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '<' | '>' | '\\' => out.extend(['\\', c]),
            '&' => out.push_str("&amp;"),
            c if c.is_control() || c == '|' || begins_tag(c, characters.peek()) => entities::encode_numeric(c, out),
            c => out.push(c),
        }
    }
    out.push('>');
}

/// Returns whether a brace and the character after it would begin a block tag.
fn begins_tag(c: char, after: Option<&char>) -> bool {
    c == '{' && after == Some(&'%')
}

/// Appends the quoted title of a link.
pub fn escape_title(title: &str, out: &mut String) {
    out.push('"');
    let mut characters = title.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '&' => out.push_str("&amp;"),
            // The parser takes a single backslash before the closing quote for an escape.
            '\\' => out.push_str("&#92;&#92;"),
            c if c.is_control() || matches!(c, '"' | '|') || begins_tag(c, characters.peek()) => {
                entities::encode_numeric(c, out);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends the info string of a code fence.
pub fn escape_info(info: &str, out: &mut String) {
    for c in info.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '`' => entities::encode_numeric(c, out),
            c if c.is_control() => entities::encode_numeric(c, out),
            c => out.push(c),
        }
    }
}
