//! Texts of strangers in one line.

/// The maximum number of characters in a title.
pub const MAX_TITLE: usize = 300;

/// The maximum number of characters in the name of a site.
pub const MAX_SITE: usize = 100;

/// The text with single spaces, without control characters and formatting ones that reorder text, cut at `max` characters.
/// `None` if nothing is left.
pub fn one_line(text: &str, max: usize) -> Option<String> {
    let visible: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !reorders(*c))
        .collect();
    let mut line = String::new();
    for word in visible.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > max.saturating_mul(4) {
            break;
        }
    }
    if line.chars().count() > max {
        line = line.chars().take(max.saturating_sub(1)).collect();
        line.push('…');
    }
    (!line.is_empty()).then_some(line)
}

/// Bidirectional controls, which could make a title read as another one.
fn reorders(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
