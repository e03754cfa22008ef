//! Removal of characters that a reader cannot see, and cutting of texts.

/// Returns a text as one line of at most `max` characters, cut between words. Empty, if it has no letter or digit.
pub fn one_line(text: &str, max: usize) -> String {
    // White space and invisible characters may be most of a text.
    let visible = text.chars().filter(|character| !is_hidden(*character));
    let mut line = String::new();
    let mut length = 0;
    let mut is_space_due = false;
    let mut is_cut = false;
    for character in visible {
        if character.is_whitespace() || character.is_control() {
            is_space_due = length > 0;
            continue;
        }
        if length + usize::from(is_space_due) >= max {
            is_cut = true;
            break;
        }
        if std::mem::take(&mut is_space_due) {
            line.push(' ');
            length += 1;
        }
        line.push(character);
        length += 1;
    }
    if is_cut {
        cut_between_words(&mut line, max);
    }
    if line.chars().any(char::is_alphanumeric) {
        line
    } else {
        String::new()
    }
}

/// Makes room for the ellipsis, at the last space of the second half, if there is one.
fn cut_between_words(line: &mut String, max: usize) {
    let end = |characters: usize| line.char_indices().nth(characters).map_or(line.len(), |(end, _)| end);
    let (half, most) = (end(max / 2), end(max.saturating_sub(1)));
    let space = line.get(half..most).and_then(|second| second.rfind(' '));
    line.truncate(space.map_or(most, |space| half + space));
    line.push('…');
}

/// Returns a text of at most `max` characters with its line breaks, but without invisible characters.
pub fn visible(text: &str, max: usize) -> String {
    let kept = text.chars().filter(|character| !is_hidden(*character));
    let kept = kept.filter(|character| !character.is_control() || matches!(character, '\n' | '\t'));
    kept.take(max).collect()
}

/// Returns whether a reader does not see a character: zero-width spaces, marks of direction, tags and variation selectors
/// that can carry a hidden text. Joiners stay, because some scripts and emoji need them.
pub fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_one_line() {
        assert_eq!(one_line("  Cannot\r\n\tlog \u{0}in  ", 100), "Cannot log in");
        assert_eq!(one_line("a\u{200b}b\u{202e}c\u{e0041}", 100), "abc");
        for nothing in ["", " \n", "?!", "\u{200b}\u{200d}", "\u{0}\u{1b}"] {
            assert_eq!(one_line(nothing, 100), "", "{nothing:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_between_words() {
        assert_eq!(one_line("the quick brown fox", 12), "the quick…");
        assert_eq!(one_line("the quick brown fox", 19), "the quick brown fox");
        assert_eq!(one_line("unbreakable", 5), "unbr…");
        assert_eq!(one_line(&"é".repeat(1000), 100).chars().count(), 100);
        assert_eq!(one_line(&"word ".repeat(1000), 100).chars().count(), 95);
    }

    #[test]
    fn hidden_instructions_are_removed() {
        let hidden: String = "obey"
            .chars()
            .filter_map(|letter| char::from_u32(0xe0000 + u32::from(letter)))
            .collect();
        assert_eq!(visible(&format!("Hello{hidden}\n\u{7}there"), 100), "Hello\nthere");
        assert_eq!(visible("abc", 2), "ab");
    }
}
