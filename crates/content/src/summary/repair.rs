//! Repair of a table of contents as people and older exporters write it: targets with spaces, which Markdown does not take
//! for links, and invisible characters, which come with copied text.

use std::borrow::Cow;

/// Returns the text with links that Markdown understands, and the numbers of the lines, from 1, that had invisible characters
/// in their syntax. Titles keep theirs.
pub fn repair(markdown: &str) -> (String, Vec<usize>) {
    let markdown = markdown.strip_prefix('\u{feff}').unwrap_or(markdown);
    let (mut repaired, mut found) = (String::with_capacity(markdown.len()), Vec::new());
    for (before, line) in markdown.split_inclusive('\n').enumerate() {
        if repair_line(line, &mut repaired) {
            found.push(before + 1);
        }
    }
    (repaired, found)
}

/// Returns the text without invisible characters, and with plain spaces for no-break ones.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(|c| is_invisible(c) || is_no_break_space(c)) {
        return Cow::Borrowed(text);
    }
    let plain = |c| if is_no_break_space(c) { ' ' } else { c };
    text.chars().filter(|c| !is_invisible(*c)).map(plain).collect()
}

/// A soft hyphen, a zero width space, a direction mark, a word joiner or a byte order mark. Joiners that change how letters
/// look are visible.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}'
    )
}

fn is_no_break_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// Adds a repaired line. Returns whether its syntax had invisible characters.
fn repair_line(line: &str, repaired: &mut String) -> bool {
    let marker = line.find(|c: char| c == '[' || c.is_alphabetic()).unwrap_or(line.len());
    let (marker, mut rest) = line.split_at_checked(marker).unwrap_or((line, ""));
    let plain = visible(marker);
    repaired.push_str(&plain);
    let mut had_invisible = plain != marker;
    while let Some((title, brackets, after)) = split_at_target(rest) {
        let Some((target, behind)) = target_end(after).and_then(|end| after.split_at_checked(end)) else {
            break;
        };
        let plain = visible(target);
        repaired.extend([title, "]("]);
        repaired.push_str(&encode_spaces(&plain));
        had_invisible |= plain != target || brackets != "](";
        rest = behind;
    }
    repaired.push_str(rest);
    had_invisible
}

/// Splits a line at the next `](`, between which invisible characters may stand.
fn split_at_target(line: &str) -> Option<(&str, &str, &str)> {
    line.match_indices(']').find_map(|(at, bracket)| {
        let (title, rest) = line.split_at_checked(at)?;
        let after = rest
            .strip_prefix(bracket)?
            .trim_start_matches(is_invisible)
            .strip_prefix('(')?;
        Some((title, rest.strip_suffix(after)?, after))
    })
}

/// Returns the position of the parenthesis that closes a target: the one that belongs to the opening one, else the last one.
fn target_end(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut before) = (0, None, '(');
    for (at, c) in text.char_indices() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            // The title of a link, or a target in angle brackets.
            ('"' | '\'', None) if before.is_whitespace() => quote = Some(c),
            ('<', None) if before == '(' && at == 0 => quote = Some('>'),
            ('(', None) if before != '\\' => depth += 1,
            (')', None) if before != '\\' && depth == 0 => return Some(at),
            (')', None) if before != '\\' => depth -= 1,
            _ => {}
        }
        before = c;
    }
    text.rfind(')')
}

/// Encodes what ends a target in Markdown too early: spaces, and parentheses of which one is missing.
fn encode_spaces(target: &str) -> Cow<'_, str> {
    let (path, title) = split_title(target.trim());
    let unescaped = path.replace("\\(", "").replace("\\)", "");
    let is_balanced = unescaped.matches('(').count() == unescaped.matches(')').count();
    if path.starts_with('<') || (is_balanced && !path.contains([' ', '\t'])) {
        return Cow::Borrowed(target);
    }
    let mut encoded = path.replace(' ', "%20").replace('\t', "%09");
    if !is_balanced {
        encoded = encoded.replace('(', "%28").replace(')', "%29");
    }
    if !title.is_empty() {
        encoded.push(' ');
    }
    Cow::Owned(encoded + title)
}

/// Splits a target into its path and its quoted title.
fn split_title(target: &str) -> (&str, &str) {
    let quoted = ['"', '\''].into_iter().find_map(|quote| {
        let (before, _) = target.strip_suffix(quote)?.rsplit_once(quote)?;
        let title = target.strip_prefix(before)?;
        before
            .ends_with(char::is_whitespace)
            .then(|| (before.trim_end(), title))
    });
    quoted.unwrap_or((target, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_with_spaces_are_encoded() {
        for (line, expected) in [
            ("* [A](a b.md)", "* [A](a%20b.md)"),
            ("* [A](a b.md \"A (b\")", "* [A](a%20b.md \"A (b\")"),
            (
                "* [A (1)](a (1).md) and [B]( b\tc/)",
                "* [A (1)](a%20(1).md) and [B](b%09c/)",
            ),
            ("* [A](a (b.md)", "* [A](a%20%28b.md)"),
            ("* [What's](what 's new.md)\r\n", "* [What's](what%20's%20new.md)\r\n"),
            ("* [![x](x y.png) A](a b.md)", "* [![x](x%20y.png) A](a%20b.md)"),
        ] {
            assert_eq!(repair(line), (expected.to_owned(), Vec::new()));
        }
        for line in [
            "* [A](a.md)",
            "* [A](<a ) b.md> \"A b\")",
            "* [A](a\\).md)",
            "* [A]( a(1).md )",
            "* [A]()",
            "* [A](a.md",
            "* [A](a b.md\n",
            "* [A] (a b)",
            "* words (a b)\u{a0}c",
        ] {
            assert_eq!(repair(line), (line.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn invisible_characters_leave_the_syntax_and_stay_in_titles() {
        let markdown = "\u{feff}# A\n*\u{a0}[B\u{200b}b\u{a0}b](b.md)\n\u{200b}* [C]\u{200b}(c\u{a0}c.md\u{2060})\n";
        let expected = "# A\n* [B\u{200b}b\u{a0}b](b.md)\n* [C](c%20c.md)\n";
        assert_eq!(repair(markdown), (expected.to_owned(), vec![2, 3]));
    }
}
