//! Texts of others for messages.

/// Characters that change the direction of the text around them.
const DIRECTIONS: [char; 9] = [
    '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// Makes one line of a text: without control characters, and of at most `max` characters.
pub(crate) fn clean(text: &str, max: usize) -> String {
    let visible = text.replace(
        |character: char| character.is_control() || DIRECTIONS.contains(&character),
        " ",
    );
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// What the remote itself said.
pub(crate) fn remote_lines(stderr: &str) -> String {
    let lines = stderr
        .split(['\n', '\r'])
        .filter_map(|line| line.strip_prefix("remote:"));
    lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
