//! Tables of bars, by the row of delimiters below their header.

/// Returns the number of columns of a table if a line is the row of its delimiters, and zero otherwise.
pub fn delimited_columns(line: &str) -> usize {
    let is_delimiter = |byte| matches!(byte, b'-' | b'|' | b':' | b' ' | b'\t' | b'>' | b'\r');
    match line.bytes().all(is_delimiter) && line.contains(['|', ':']) {
        true => line.split('|').filter(|cell| cell.contains('-')).count(),
        false => 0,
    }
}
